"""The measures of an analysis as rows of summary_stats.csv, in the order of the report."""

from collections.abc import Iterator, Mapping

from limen.core.analysis.estimates import Undetermined
from limen.core.findings import Analysis
from limen.core.measures import Agreement, Effect, Model, Number, SignalDetection
from limen.core.specification import Result
from limen.dataset.summary_row import SummaryRow, Value, chi_square_rows, estimate_row, share_of


def measure_rows(analysis: Analysis) -> Iterator[SummaryRow]:
    """Give the flow, the protocol's numbers, their companions, the decisions and the other specifications."""
    yield from _flow(analysis)
    yield from _as_specified(analysis)
    yield from _rates(analysis)
    yield from _companions(analysis)
    yield from _models(analysis)
    yield from _decisions(analysis)
    yield from _specifications(analysis)


def _flow(analysis: Analysis) -> Iterator[SummaryRow]:
    n = analysis.n
    steps: Mapping[str, int | Undetermined] = {
        "landed": n.landed,
        "consented": n.consented,
        "screened_in": n.screened_in,
        "started": n.started,
        "completed": n.completed,
        "withdrawn": n.withdrawn,
        "excluded": n.excluded,
        "analyzed": n.analyzed,
    }
    for step, people in steps.items():
        yield SummaryRow(measure="participants", scope=step, value=people)
    for rule in analysis.exclusion_rules:
        hits: Value = rule.first_hits if rule.assessed else Undetermined(reason=f"not assessed: {rule.remark}")
        yield SummaryRow(measure="excluded_by_rule", scope=rule.rule, value=hits, method=rule.declared)


def _as_specified(analysis: Analysis) -> Iterator[SummaryRow]:
    found = analysis.as_specified
    for condition, counts in found.conditions.items():
        yield SummaryRow(measure="off", scope=condition, value=counts.off, n=counts.n)
        yield SummaryRow(measure="accuracy", scope=condition, value=counts.accuracy, n=counts.n, method="as specified")
    target = next(c.name.lower() for c in analysis.study.conditions if c.role == "target")
    binomial = found.binomial
    method = "exact binomial, one-sided"
    yield SummaryRow(measure="binomial_p", scope=target, value=binomial.p, n=binomial.n, method=method)
    yield from chi_square_rows("chi_square", "all", found.chi_square, "2×2 with Yates' correction")
    for scope, kappa in found.fleiss_kappa.items():
        label = found.kappa_label[scope]
        words = "" if isinstance(label, Undetermined) else f"as specified; {label}"
        yield SummaryRow(measure="fleiss_kappa", scope=scope, value=kappa, method=words)


def _rates(analysis: Analysis) -> Iterator[SummaryRow]:
    for condition, rate in analysis.companions.rates.items():
        counts = analysis.as_specified.conditions[condition]
        yield estimate_row("off_rate", condition, rate.off_rate)
        share = share_of(counts.off, counts.n)
        for method, bounds in (("Wilson", rate.wilson_interval), ("Clopper-Pearson", rate.clopper_pearson_interval)):
            named = f"{method} interval, independent trials"
            yield SummaryRow(
                measure="off_rate", scope=condition, value=share, interval=bounds, n=counts.n, method=named
            )


def _companions(analysis: Analysis) -> Iterator[SummaryRow]:
    beside = analysis.companions
    for scope, agreement in beside.agreement.items():
        yield from _agreement(scope, agreement)
    for scope, found in (
        ("pooled", beside.sdt.pooled),
        ("mean_of_raters", beside.sdt.mean_of_raters),
        ("population", beside.sdt.population),
    ):
        yield from _signal_detection(scope, found)
    h1, difference = beside.crossed_t.h1, beside.crossed_t.difference
    for name, value in (("t", h1.t), ("df", h1.df), ("p", h1.p)):
        yield SummaryRow(measure=f"crossed_t_h1_{name}", scope="target", value=value, method="crossed t, one-sided")
    yield estimate_row("off_rate_difference", "target − baseline", difference.difference)
    for name, value in (
        ("t", difference.t),
        ("df", difference.df),
        ("p", difference.p),
        ("p_one_sided", difference.p_one_sided),
    ):
        yield SummaryRow(measure=f"crossed_t_difference_{name}", scope="target − baseline", value=value)
    yield from chi_square_rows("chi_square_uncorrected", "all", beside.two_by_two.uncorrected, "2×2")
    yield SummaryRow(measure="fisher_p", scope="all", value=beside.two_by_two.fisher_p, method="Fisher's exact test")
    yield SummaryRow(
        measure="accuracy_difference", scope="target − baseline", value=beside.two_by_two.accuracy_difference
    )
    tost, counts = beside.tost, beside.critical_counts
    yield SummaryRow(measure="tost_p", scope="baseline", value=tost.p, method="independent trials")
    yield SummaryRow(
        measure="tost_established", scope="baseline", value=tost.established, interval=tost.crossed_90_interval
    )
    for name, count in (("above_threshold", counts.above_threshold), ("significant", counts.significant)):
        yield SummaryRow(measure="critical_count", scope=name, value=count, n=counts.n)
    yield from chi_square_rows("cochran_q", "baseline", beside.pattern.cochran_q, "Cochran's Q")
    yield from chi_square_rows("trend_over_trials", "baseline", beside.pattern.trend, "Mantel's trend within raters")


def _agreement(scope: str, found: Agreement) -> Iterator[SummaryRow]:
    for name, value in (
        ("percent", found.percent),
        ("fleiss_kappa", found.fleiss_kappa),
        ("ac1", found.ac1),
        ("alpha", found.alpha),
    ):
        yield estimate_row(f"agreement_{name}", scope, value)
        yield SummaryRow(measure=f"agreement_{name}_rater_se", scope=scope, value=found.rater_se[name])


def _signal_detection(scope: str, found: SignalDetection) -> Iterator[SummaryRow]:
    for name, value in (("d_prime", found.d_prime), ("c", found.c), ("auc", found.auc)):
        yield estimate_row(name, scope, value)


def _models(analysis: Analysis) -> Iterator[SummaryRow]:
    models = analysis.companions.glmm
    for scope, model in (
        ("logit", models.logit),
        ("probit", models.probit),
        ("logit_slope", models.logit_slope),
        ("probit_slope", models.probit_slope),
    ):
        yield from _model(scope, model)


def _model(scope: str, model: Model) -> Iterator[SummaryRow]:
    formula = model.model if isinstance(model.model, str) else ""
    for term, effect in (("condition", model.condition), ("intercept", model.intercept)):
        for name, value in _effect(effect).items():
            yield SummaryRow(measure=f"glmm_{term}_{name}", scope=scope, value=value, n=model.n, method=formula)
    yield SummaryRow(measure="glmm_lrt_p", scope=scope, value=model.lrt_p, n=model.n, method=formula)
    yield SummaryRow(measure="glmm_log_likelihood", scope=scope, value=model.log_likelihood, n=model.n, method=formula)
    if isinstance(model.random, Undetermined):
        return
    for part, sd in (
        ("rater_sd", model.random.rater_sd),
        ("rater_slope_sd", model.random.rater_slope_sd),
        ("rater_correlation", model.random.rater_correlation),
        ("item_sd", model.random.item_sd),
    ):
        if sd is not None:
            yield SummaryRow(measure=f"glmm_{part}", scope=scope, value=sd, n=model.n, method=formula)


def _effect(effect: Effect) -> dict[str, Number]:
    return {"estimate": effect.estimate, "se": effect.se, "z": effect.z, "p": effect.p}


def _decisions(analysis: Analysis) -> Iterator[SummaryRow]:
    for name, hypothesis in (
        ("h1", analysis.hypotheses.h1),
        ("h2", analysis.hypotheses.h2),
        ("h3", analysis.hypotheses.h3),
    ):
        yield SummaryRow(measure="hypothesis", scope=name, value=hypothesis.met)
        for clause, met in hypothesis.clauses.items():
            words = hypothesis.words[clause]
            yield SummaryRow(
                measure="hypothesis_clause", scope=f"{name}/{clause}", value=met, method=f"{words.asks}: {words.found}"
            )
    outcome = analysis.outcome
    reason = outcome.reason or ""
    yield SummaryRow(measure="outcome", scope=outcome.agreement_scope, value=outcome.letter, method=reason)
    yield SummaryRow(measure="outcome", scope="other agreement scope", value=outcome.letter_other_scope)
    for clause, met in outcome.clauses.items():
        yield SummaryRow(measure="outcome_clause", scope=clause, value=met)
    yield SummaryRow(measure="companion_verdict", scope="target − baseline", value=outcome.companion_verdict)


def _specifications(analysis: Analysis) -> Iterator[SummaryRow]:
    for row in analysis.specification:
        if not isinstance(row.result, Result):
            yield SummaryRow(measure="specification_outcome", scope=row.key, value=row.result)
            continue
        result = row.result
        letter = f"{result.letter} ({result.reason})" if result.reason else result.letter
        yield SummaryRow(
            measure="specification_outcome", scope=row.key, value=letter, n=result.raters, method=row.remark
        )
        yield estimate_row("specification_difference", row.key, result.difference)
        yield estimate_row("specification_log_odds", row.key, result.log_odds)
        for condition, share in result.off_rates.items():
            yield SummaryRow(measure="specification_off_rate", scope=f"{row.key}/{condition}", value=share)
        for name, value in (
            ("kappa", result.fleiss_kappa),
            ("binomial_p", result.binomial_p),
            ("chi_square_p", result.chi_square_p),
        ):
            yield SummaryRow(measure=f"specification_{name}", scope=row.key, value=value, n=result.raters)
