"""From an Analysis to the files of its report."""

from collections.abc import Mapping
from dataclasses import dataclass

from limen.core.findings import Analysis
from limen.report.contents import compose
from limen.report.figures.canvas import draw
from limen.report.figures.gallery import plot_all
from limen.report.figures.plotted import Plotted
from limen.report.html import render_html
from limen.report.markdown import FIGURES, render_markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report as files: the page, the Markdown, and the drawings that the Markdown shows, by path."""

    html: str
    markdown: str
    figures: Mapping[str, str]

    def files(self) -> dict[str, bytes]:
        """Give every file of the report by its path among the results."""
        named = {"report.html": self.html, "analysis_report.md": self.markdown, **self.figures}
        return {path: text.encode() for path, text in named.items()}


def render_report(analysis: Analysis) -> Report:
    """Make the report. The same analysis gives the same bytes."""
    document, plots = compose(analysis), plot_all(analysis)
    drawn = {plot.key: plot for plot in plots.values() if isinstance(plot, Plotted)}
    drawings = draw([plot.sketch for plot in drawn.values()])
    return Report(
        html=render_html(document, plots, {key: drawings[key].inline(plot.alternative) for key, plot in drawn.items()}),
        markdown=render_markdown(document, plots),
        figures={f"{FIGURES}/{key}.svg": drawings[key].alone(plot.alternative) for key, plot in drawn.items()},
    )
