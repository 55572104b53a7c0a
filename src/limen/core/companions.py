"""From a sample of answers to what stands beside the protocol's numbers: raters and pairs both taken as samples."""

import numpy as np

from limen.core.analysis.agreement import Coefficient
from limen.core.analysis.agreement_intervals import AgreementEstimate, agreement
from limen.core.analysis.contrasts import CrossedT, crossed_t_against_chance, crossed_t_difference
from limen.core.analysis.estimates import Estimate, Undetermined, WaldEffect
from limen.core.analysis.generators import named_generator
from limen.core.analysis.hierarchical import ConditionModel, ConditionModels, population_sensitivity
from limen.core.analysis.proportions import (
    CHANCE,
    clopper_pearson_interval,
    critical_counts,
    crossed_rate,
    equivalence_to_chance,
    wilson_interval,
)
from limen.core.analysis.ratings import Ratings
from limen.core.analysis.sensitivity import SensitivityEstimate, mean_sensitivity, pooled_sensitivity
from limen.core.analysis.tables import ConditionTable, cochran_q, condition_table, independence
from limen.core.analysis.trend import Trend, trend_over_trials
from limen.core.estimation import chi_square_result, key_of, scopes
from limen.core.measures import (
    AgainstChance,
    Agreement,
    BaselinePattern,
    Companions,
    ConditionDifference,
    CriticalCounts,
    CrossedTests,
    Effect,
    Equivalence,
    Model,
    Models,
    RandomPart,
    RateIntervals,
    SignalDetection,
    SignalDetections,
    TwoByTwo,
)
from limen.core.outcome import exact
from limen.core.protocol import Protocol
from limen.core.sample import Sample

RESAMPLES = 2000

OTHER_CHANCE = Undetermined(reason="the crossed test is made for a chance of 50 %")


def estimate_companions(sample: Sample, protocol: Protocol, models: ConditionModels) -> Companions:
    """Compute every companion; the condition models are fitted beforehand, since others need them too."""
    return Companions(
        rates={key_of(condition): rate_intervals(sample, condition.name) for condition in protocol.conditions},
        two_by_two=_two_by_two(sample),
        agreement=_agreements(sample, protocol),
        sdt=_signal_detections(sample, models),
        crossed_t=CrossedTests(h1=_against_chance(sample, protocol), difference=condition_difference(sample)),
        tost=_equivalence(sample, protocol),
        critical_counts=_critical_counts(sample, protocol),
        glmm=Models(
            logit=_model(models.logit),
            probit=_model(models.probit),
            logit_slope=_model(models.logit_slope),
            probit_slope=_model(models.probit_slope),
        ),
        pattern=_pattern(sample),
    )


def rate_intervals(sample: Sample, condition: str) -> RateIntervals:
    """Give the OFF rate of a condition with its three intervals."""
    part = sample.ratings.of_condition(condition)
    return RateIntervals(
        off_rate=crossed_rate(sample.complete.of_condition(condition)),
        wilson_interval=wilson_interval(part.n_off, part.n),
        clopper_pearson_interval=clopper_pearson_interval(part.n_off, part.n),
    )


def condition_difference(sample: Sample) -> ConditionDifference:
    """Give the difference of OFF rates, target − baseline, with its crossed test."""
    test = crossed_t_difference(sample.complete_contrast)
    if isinstance(test, Undetermined):
        return ConditionDifference(
            difference=test, difference_90_interval=test, t=test, df=test, p=test, p_one_sided=test
        )
    return ConditionDifference(
        difference=Estimate(value=test.value, interval=test.interval_95, n=test.n, method="crossed t"),
        difference_90_interval=test.interval_90,
        t=test.t,
        df=test.df,
        p=test.p_two_sided,
        p_one_sided=test.p_one_sided,
    )


def _two_by_two(sample: Sample) -> TwoByTwo:
    table = independence(condition_table(sample.contrast))
    target, baseline = sample.tally(sample.target), sample.tally(sample.baseline)
    return TwoByTwo(
        uncorrected=chi_square_result(table.uncorrected if isinstance(table, ConditionTable) else table),
        fisher_p=table.fisher_p if isinstance(table, ConditionTable) else table,
        accuracy_difference=target.right / target.n - baseline.right / baseline.n
        if target.n and baseline.n
        else Undetermined(reason="a condition has no answers"),
    )


def _agreements(sample: Sample, protocol: Protocol) -> dict[str, Agreement]:
    every, complete = scopes(sample.ratings, protocol), scopes(sample.complete, protocol)
    seed = protocol.study.seed
    return {scope: _agreement(every[scope], complete[scope], seed, scope) for scope in every}


def _agreement(every: Ratings, complete: Ratings, seed: int, scope: str) -> Agreement:
    def bootstrapped(ratings: Ratings) -> dict[Coefficient, AgreementEstimate | Undetermined]:
        return agreement(ratings, rng=named_generator(seed, f"agreement/{scope}"), resamples=RESAMPLES)

    found = bootstrapped(every)
    if every.missing:
        found[Coefficient.FLEISS_KAPPA] = bootstrapped(complete)[Coefficient.FLEISS_KAPPA]
    plain = {c: e if isinstance(e, Undetermined) else e.estimate for c, e in found.items()}
    return Agreement(
        percent=plain[Coefficient.PERCENT],
        fleiss_kappa=plain[Coefficient.FLEISS_KAPPA],
        ac1=plain[Coefficient.AC1],
        alpha=plain[Coefficient.ALPHA],
        rater_se={c.value: e if isinstance(e, Undetermined) else e.rater_se for c, e in found.items()},
        resamples=RESAMPLES,
        undefined_resamples={
            c.value: e.undefined_resamples for c, e in found.items() if isinstance(e, AgreementEstimate)
        },
        raters=every.raters,
        complete_raters=complete.raters,
    )


def _signal_detections(sample: Sample, models: ConditionModels) -> SignalDetections:
    return SignalDetections(
        pooled=_signal_detection(pooled_sensitivity(sample.contrast)),
        mean_of_raters=_signal_detection(mean_sensitivity(sample.contrast)),
        population=_signal_detection(population_sensitivity(models.probit_slope)),
    )


def _signal_detection(found: SensitivityEstimate | Undetermined) -> SignalDetection:
    if isinstance(found, Undetermined):
        return SignalDetection(d_prime=found, c=found, auc=found)
    return SignalDetection(d_prime=found.d_prime, c=found.criterion, auc=found.auc)


def _against_chance(sample: Sample, protocol: Protocol) -> AgainstChance:
    test: CrossedT | Undetermined = OTHER_CHANCE
    if protocol.decision.chance == CHANCE:
        test = crossed_t_against_chance(sample.complete.of_condition(sample.target.name))
    if isinstance(test, Undetermined):
        return AgainstChance(off_rate=test, t=test, df=test, p=test)
    return AgainstChance(off_rate=test.value, t=test.t, df=test.df, p=test.p_one_sided)


def _equivalence(sample: Sample, protocol: Protocol) -> Equivalence:
    """Hold the baseline's OFF rate against the stretch that counts as chance."""
    low, high = protocol.decision.chance_low, protocol.decision.chance_high
    every, complete = (part.of_condition(sample.baseline.name) for part in (sample.ratings, sample.complete))
    found = equivalence_to_chance(every, low=low, high=high, complete=complete)
    if isinstance(found, Undetermined):
        return Equivalence(
            low=low, high=high, p_lower=found, p_upper=found, p=found, crossed_90_interval=found, established=found
        )
    return Equivalence(
        low=found.low,
        high=found.high,
        p_lower=found.p_lower,
        p_upper=found.p_upper,
        p=found.p,
        crossed_90_interval=found.crossed_interval_90,
        established=found.established,
    )


def _critical_counts(sample: Sample, protocol: Protocol) -> CriticalCounts:
    decision, n = protocol.decision, sample.tally(sample.target).n
    if decision.chance != CHANCE:
        return CriticalCounts(n=n, above_threshold=OTHER_CHANCE, significant=OTHER_CHANCE)
    counts = critical_counts(n, threshold=exact(decision.accuracy_above), alpha=decision.alpha)
    if isinstance(counts, Undetermined):
        return CriticalCounts(n=n, above_threshold=counts, significant=counts)
    return CriticalCounts(n=n, above_threshold=counts.above_threshold, significant=counts.significant)


def _model(model: ConditionModel | Undetermined) -> Model:
    if isinstance(model, Undetermined):
        nothing = Effect(estimate=model, se=model, z=model, p=model)
        return Model(
            model=model,
            condition=nothing,
            intercept=nothing,
            lrt_statistic=model,
            lrt_p=model,
            random=model,
            log_likelihood=model,
            singular=model,
            given_up=(),
            n=0,
        )
    return Model(
        model=model.formula,
        condition=_effect(model.condition),
        intercept=_effect(model.intercept),
        lrt_statistic=model.likelihood_ratio.statistic,
        lrt_p=model.likelihood_ratio.p,
        random=RandomPart(
            rater_sd=model.rater_sd,
            rater_slope_sd=model.rater_slope_sd,
            rater_correlation=model.rater_correlation,
            item_sd=model.pair_sd,
        ),
        log_likelihood=model.log_likelihood,
        singular=model.singular,
        given_up=tuple(part.value for part in model.given_up),
        n=model.n,
    )


def _effect(effect: WaldEffect) -> Effect:
    return Effect(estimate=effect.estimate, se=effect.se, z=effect.z, p=effect.p)


def _pattern(sample: Sample) -> BaselinePattern:
    trend = baseline_trend(sample)
    return BaselinePattern(
        cochran_q=chi_square_result(cochran_q(sample.complete.of_condition(sample.baseline.name))),
        trend=chi_square_result(trend if isinstance(trend, Undetermined) else trend.test),
        off_rate_change_per_trial=trend if isinstance(trend, Undetermined) else trend.change_per_trial,
    )


def baseline_trend(sample: Sample) -> Trend | Undetermined:
    """Test the OFF rate on baseline pairs against the trial number."""
    table = sample.table
    of_baseline = np.array([stimulus.condition == sample.baseline.name for stimulus in table.stimuli], dtype=np.bool_)
    rows = sample.kept[table.participant] & of_baseline[table.stimulus]
    return trend_over_trials(table.participant[rows], table.trial_number[rows], table.off[rows])
