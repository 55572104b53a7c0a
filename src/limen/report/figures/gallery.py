"""All figures of a report."""

from limen.core.findings import Analysis
from limen.report.figures.answers import plot_answers
from limen.report.figures.drift import plot_drift
from limen.report.figures.flow import plot_flow
from limen.report.figures.pairs import plot_pairs
from limen.report.figures.plotted import LeftOut, Plotted
from limen.report.figures.rates import plot_rates
from limen.report.figures.roc import plot_roc
from limen.report.figures.specification import plot_specification
from limen.report.figures.times import plot_times


def plot_all(analysis: Analysis) -> dict[str, Plotted | LeftOut]:
    """Lay out every figure, drawing none of them yet; those that the data do not allow say why."""
    plots = (
        plot_flow(analysis),
        plot_rates(analysis),
        plot_roc(analysis),
        plot_drift(analysis),
        plot_pairs(analysis),
        plot_answers(analysis),
        plot_times(analysis),
        plot_specification(analysis),
    )
    return {plot.key: plot for plot in plots}
