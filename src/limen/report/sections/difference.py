"""Protocol 7.2: do the conditions differ?"""

from collections.abc import Iterator

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.findings import Analysis
from limen.core.measures import Model
from limen.report.document import Block, Caution, Column, Listing, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import (
    OFF,
    Roles,
    chi_square,
    compared,
    key_of,
    points_estimate,
    points_interval,
    t_test,
    why_not,
)


def difference(analysis: Analysis) -> Section:
    """Set the chi-square beside tests that take raters and pairs as samples."""
    roles = Roles.of(analysis.study)
    return Section(
        key="difference",
        title="7.2 Condition difference",
        blocks=(
            Paragraph(text=f"Is {OFF} said more often of {roles.target.name} than of {roles.baseline.name} pairs?"),
            compared("Difference between conditions, as specified and with companions", *_rows(analysis, roles)),
            Caution(text=analysis.caveats.get("chi_square", "")),
            Subheading(text="Mixed models"),
            Paragraph(
                text="Models of the single answer with raters and pairs as crossed random effects, fitted by Laplace "
                "approximation. The slope models let raters differ in sensitivity; their likelihood-ratio test is the "
                "one to quote."
            ),
            _models(analysis),
            *_remarks(analysis),
        ),
    )


def _rows(analysis: Analysis, roles: Roles) -> Iterator[Row]:
    counts, beside = analysis.as_specified.conditions, analysis.companions
    test, table, crossed = analysis.as_specified.chi_square, beside.two_by_two, beside.crossed_t.difference
    gap = notation.points(table.accuracy_difference)
    target, baseline = counts[key_of(roles.target)], counts[key_of(roles.baseline)]
    yield Row(
        head=("Detection rates",),
        cells=(
            (
                f"{roles.target.name} {notation.percent_of(target.off, target.n)}",
                f"{roles.baseline.name} {notation.percent_of(baseline.off, baseline.n)}",
            ),
            (
                f"difference {points_estimate(crossed.difference)}",
                f"90 % interval {points_interval(crossed.difference_90_interval)}",
            ),
        ),
    )
    yield Row(
        head=("Test",),
        cells=(
            (
                f"chi-square with Yates' correction: {chi_square(test)}",
                f"significant, and in the expected direction: {notation.truth(analysis.outcome.clauses['a3'])}",
            ),
            (
                (
                    f"raters and pairs as samples: {t_test(crossed.t, crossed.df, crossed.p)}, two-sided; one-sided "
                    f"{notation.p_value(crossed.p_one_sided)}"
                ),
            ),
        ),
    )
    yield Row(
        head=("The same table otherwise",),
        cells=(
            ("–",),
            (
                f"chi-square without correction: {chi_square(table.uncorrected)}",
                f"Fisher's exact test: {notation.p_value(table.fisher_p)}",
                f"difference of accuracies {gap} (raters who are always right have none)",
            ),
        ),
    )


def _models(analysis: Analysis) -> Table:
    glmm = analysis.companions.glmm
    columns = ("condition (SE)", "Wald", "likelihood ratio", "SD raters", "SD pairs")
    return Table(
        caption="Effect of condition on the log odds (logit) or in z (probit)",
        columns=(Column(title="model"), *(Column(title=title, numeric=True) for title in columns)),
        rows=(
            _model("logit, intercepts", glmm.logit),
            _slope_model("logit, slopes", glmm.logit_slope),
            _model("probit, intercepts", glmm.probit),
            _slope_model("probit, slopes", glmm.probit_slope),
        ),
    )


def _slope_model(name: str, model: Model) -> Row:
    """Show a slope model, unless no slope was left in it: the row of the intercept model says the same."""
    if not _fell_back(model):
        return _model(name, model)
    same = ("no slope spread supported: same as the intercept model",)
    return Row(head=(name,), cells=(same, *((("–",),) * 4)))


def _fell_back(model: Model) -> bool:
    return not isinstance(model.random, Undetermined) and model.random.rater_slope_sd is None


def _model(name: str, model: Model) -> Row:
    if isinstance(model.model, Undetermined) or isinstance(model.random, Undetermined):
        return Row(head=(name,), cells=((why_not(model.model, model.random),), *((("–",),) * 4)))
    effect, random = model.condition, model.random
    raters = notation.decimal(random.rater_sd)
    if random.rater_slope_sd is not None:
        raters += f", slope {notation.decimal(random.rater_slope_sd)}"
    return Row(
        head=(name, model.model),
        cells=(
            (f"{notation.decimal(effect.estimate)} ({notation.decimal(effect.se)})",),
            (f"z = {notation.decimal(effect.z)}", notation.p_value(effect.p)),
            (f"χ² = {notation.decimal(model.lrt_statistic)}", notation.p_value(model.lrt_p)),
            (raters,),
            (notation.decimal(random.item_sd),),
        ),
    )


def _remarks(analysis: Analysis) -> Iterator[Block]:
    glmm = analysis.companions.glmm
    named = (("logit slopes", glmm.logit_slope), ("probit slopes", glmm.probit_slope))
    points = [
        f"{name}: {', '.join(model.given_up)} given up as more than the data support."
        for name, model in named
        if model.given_up
    ]
    kept = [(name, model) for name, model in named if not _fell_back(model)]
    singular = [
        name for name, model in (("logit", glmm.logit), ("probit", glmm.probit), *kept) if model.singular is True
    ]
    points += [f"{name}: a spread is estimated at its bound (singular fit)." for name in singular]
    if points:
        yield Listing(points=tuple(points))
