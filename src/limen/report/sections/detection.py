"""Protocol 7.1: how often each condition was recognized, against chance; and signal detection beside it."""

from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.findings import Analysis, StudyCondition
from limen.core.measures import CriticalCounts, SignalDetection
from limen.core.protocol import ConditionRole
from limen.report.document import Caution, Column, FigurePlace, Lines, Paragraph, Row, Section, Subheading, Table
from limen.report.phrasing import OFF, Roles, compared, key_of, t_test, why_not


def detection(analysis: Analysis) -> Section:
    """Set the protocol's primary analysis beside its companions."""
    roles = Roles.of(analysis.study)
    return Section(
        key="detection",
        title="7.1 Detection rate",
        blocks=(
            Paragraph(
                text=f"Accuracy is the share of expected answers: {OFF} for {roles.target.name} pairs, NORMAL for "
                f"{roles.baseline.name} pairs. The detection rate is the share that said {OFF} in either."
            ),
            compared(
                "Detection rate, as specified and with companions",
                *(_rates(analysis, condition) for condition in roles.leading),
                _against_chance(analysis, roles),
            ),
            Caution(text=analysis.caveats.get("h1", "")),
            FigurePlace(key="detection-rate"),
            Subheading(text="Signal detection"),
            Paragraph(
                text=f"Two raters with the same eye for drift may differ in how readily they say {OFF}. Signal "
                "detection takes the two apart: d′ is how well the two kinds of pairs are told apart (0: not at all), "
                "c how slow raters are to call a pair off (0: balanced), AUC the chance to pick out the "
                f"{roles.target.name} pair of two (50 %: guessing). Pooling unlike raters and pairs flattens d′, so "
                "that of the population, for a typical rater and pair, is often larger."
            ),
            _sensitivity(analysis),
            FigurePlace(key="roc-space"),
        ),
    )


def _against_chance(analysis: Analysis, roles: Roles) -> Row:
    found, decision = analysis.as_specified.binomial, analysis.protocol.decision
    test, counts = analysis.companions.crossed_t.h1, analysis.companions.critical_counts
    clauses = analysis.outcome.clauses
    needed = notation.percent(decision.accuracy_above)
    return Row(
        head=(f"{roles.target.name} against chance",),
        cells=(
            (
                (
                    f"{notation.count(found.k)} of {notation.count(found.n)} right; binomial test against "
                    f"{notation.percent(decision.chance)}, one-sided: {notation.p_value(found.p)}"
                ),
                f"accuracy above {needed}: {notation.truth(clauses['a1'])}",
                f"significant: {notation.truth(clauses['a2'])}",
            ),
            (
                f"raters and pairs as samples: {t_test(test.t, test.df, test.p)}, one-sided",
                _critical(counts, needed),
            ),
        ),
    )


def _critical(counts: CriticalCounts, needed: str) -> str:
    if isinstance(counts.above_threshold, Undetermined) or isinstance(counts.significant, Undetermined):
        return f"critical counts: {why_not(counts.above_threshold, counts.significant)}"
    above, significant = notation.count(counts.above_threshold), notation.count(counts.significant)
    return (
        f"critical counts: of {notation.count(counts.n)} answers, {above} or more right ones are above {needed}, "
        f"{significant} or more are significant"
    )


def _rates(analysis: Analysis, condition: StudyCondition) -> Row:
    key = key_of(condition)
    counts, rates = analysis.as_specified.conditions[key], analysis.companions.rates[key]
    names = {ConditionRole.TARGET: "hit rate", ConditionRole.BASELINE: "false-alarm rate"}
    name = names.get(condition.role, "detection rate")
    wilson, exact = rates.wilson_interval, rates.clopper_pearson_interval
    independent = f"Wilson {notation.percent_interval(wilson)}, Clopper–Pearson {notation.percent_interval(exact)}"
    as_specified: Lines = (f"detection rate {notation.percent_of(counts.off, counts.n)}",)
    if condition.expected is not None:
        as_specified = (f"accuracy {notation.percent(counts.accuracy)}", *as_specified)
    return Row(
        head=(condition.name, f"drift {condition.drift}"),
        cells=(
            as_specified,
            (
                f"{name} {notation.percent_estimate(rates.off_rate)}, raters and pairs as samples",
                f"answers as independent: {independent}",
            ),
        ),
    )


def _sensitivity(analysis: Analysis) -> Table:
    sdt = analysis.companions.sdt
    return Table(
        caption="Sensitivity and criterion with 95 % intervals",
        columns=(
            Column(title="raters brought together as"),
            Column(title="d′", numeric=True),
            Column(title="c", numeric=True),
            Column(title="AUC", numeric=True),
        ),
        rows=(
            _sdt_row("pooled answers", "intervals over raters and pairs", sdt.pooled),
            _sdt_row("mean of raters", "for these pairs", sdt.mean_of_raters),
            _sdt_row("population", "probit model, raters and pairs as samples", sdt.population),
        ),
    )


def _sdt_row(name: str, remark: str, found: SignalDetection) -> Row:
    return Row(
        head=(name, remark),
        cells=(
            (notation.estimate(found.d_prime),),
            (notation.estimate(found.c),),
            (notation.percent_estimate(found.auc),),
        ),
    )
