"""The analyzed raters, the pairs and the providers, one by one, with estimates shrunken by the model."""

import math

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.estimates import Estimate, Undetermined
from limen.core.analysis.hierarchical import ConditionModel, pair_rates
from limen.core.analysis.mixed_models import SINGULAR_SD
from limen.core.analysis.proportions import crossed_rate
from limen.core.analysis.sensitivity import NO_CONTRAST, rater_sensitivity
from limen.core.analysis.trials import NOT_KNOWN
from limen.core.course import rate
from limen.core.description import PairRow, ProviderRow, RaterRow
from limen.core.estimation import key_of
from limen.core.exclusion import check_failures, main_task
from limen.core.flagging import Flagging, words_per_minute
from limen.core.measures import Number
from limen.core.protocol import Protocol
from limen.core.sample import Sample
from limen.core.timing import grouped_median, rows_of

Floats = NDArray[np.float64]

NO_TIMES = Undetermined(reason="no answer has a response time")
NO_SPEED = Undetermined(reason="words or response times are not known")
NO_TASK_TIME = Undetermined(reason="the time for the main task is not known")
NO_PAIR_SPREAD = Undetermined(
    reason="the model found no spread between pairs, so it gives every pair of a condition the same value"
)
NO_SLOPE_SPREAD = Undetermined(
    reason="the data support no spread between raters in the model's sensitivity, so it gives every rater the same d′"
)
NO_RATER_SPREAD = Undetermined(
    reason="the model found no spread between raters in readiness, so it gives every rater the same c"
)


def describe_raters(
    sample: Sample, protocol: Protocol, model: ConditionModel | Undetermined, flagging: Flagging
) -> tuple[RaterRow, ...]:
    """Describe each analyzed rater; `model` is the probit slope model of the same sample."""
    places = np.flatnonzero(sample.kept)
    table, ratings = sample.table, sample.ratings
    own = rater_sensitivity(sample.contrast)
    d_prime, criterion = own.d_prime.tolist(), own.criterion.tolist()
    shrunken_d, shrunken_c = _shrunken_raters(model, len(places))
    off, n = {}, {}
    for condition in protocol.conditions:
        part = ratings.of_condition(condition.name)
        off[key_of(condition)] = part.off.sum(axis=1).tolist()
        n[key_of(condition)] = part.answered.sum(axis=1).tolist()
    times, speeds = _rater_medians(sample)
    task, failed = main_task(table).ms, check_failures(table).sum(axis=1)
    has_checks = any(table.stimuli[place].expected is not None for place in table.check_places.tolist())
    letters = np.where(ratings.answered, np.where(ratings.off, "O", "N"), "-")
    return tuple(
        RaterRow(
            participant=table.participants.ids[place],
            off={name: counts[row] for name, counts in off.items()},
            n={name: counts[row] for name, counts in n.items()},
            d_prime=_known(d_prime[row], NO_CONTRAST),
            c=_known(criterion[row], NO_CONTRAST),
            d_prime_shrunken=shrunken_d[row],
            c_shrunken=shrunken_c[row],
            median_response_time_ms=_known(float(times[place]), NO_TIMES),
            median_words_per_minute=_known(float(speeds[place]), NO_SPEED),
            main_task_minutes=int(task[place]) / 60_000 if task[place] != NOT_KNOWN else NO_TASK_TIME,
            checks_failed=int(failed[place])
            if has_checks
            else Undetermined(reason="the table holds no attention checks"),
            flags=flagging.of(place),
            answers="".join(letters[row].tolist()),
        )
        for row, place in enumerate(places.tolist())
    )


def describe_pairs(sample: Sample, model: ConditionModel | Undetermined) -> tuple[PairRow, ...]:
    """Describe each pair over the analyzed raters; `model` is the probit slope model of the same sample."""
    table, counts = sample.table, sample.ratings.category_counts().tolist()
    shrunken = _shrunken_pairs(sample, model)
    times: Floats = np.full(len(table.stimuli), np.nan)
    if table.response_time_ms is not None:
        rows = rows_of(sample) & (table.response_time_ms != NOT_KNOWN)
        times = grouped_median(table.stimulus[rows], table.response_time_ms[rows].astype(float), len(table.stimuli))
    found = []
    for column, place in enumerate(sample.pairs.tolist()):
        stimulus, (normal, off) = table.stimuli[place], counts[column]
        found.append(
            PairRow(
                pair_id=stimulus.stimulus_id,
                condition=(stimulus.condition or "").lower(),
                provider=stimulus.provider,
                drift_a=stimulus.drift_a,
                drift_b=stimulus.drift_b,
                words=stimulus.words,
                off=off,
                n=normal + off,
                off_rate=rate(off, normal + off),
                off_rate_shrunken=shrunken[column],
                median_response_time_ms=_known(float(times[place]), NO_TIMES),
            )
        )
    return tuple(found)


def describe_providers(sample: Sample, protocol: Protocol) -> tuple[ProviderRow, ...] | Undetermined:
    """Give the OFF rate of each provider's pairs in each condition. Estimates only: nothing is tested."""
    stimuli = [sample.table.stimuli[place] for place in sample.pairs.tolist()]
    if all(stimulus.provider is None for stimulus in stimuli):
        return Undetermined(reason="the table does not say which provider a pair is from")
    found = []
    for provider in sorted({stimulus.provider for stimulus in stimuli if stimulus.provider is not None}):
        for condition in protocol.conditions:
            wanted = (provider, condition.name)
            chosen = np.array([(s.provider, s.condition) == wanted for s in stimuli], dtype=np.bool_)
            if not chosen.any():
                continue
            part = sample.ratings.of_pairs(chosen)
            crossed = crossed_rate(sample.complete.of_pairs(chosen))
            lacking = isinstance(crossed, Undetermined) or isinstance(crossed.interval, Undetermined)
            found.append(
                ProviderRow(
                    provider=provider,
                    condition=key_of(condition),
                    pairs=part.pairs,
                    off=part.n_off,
                    n=part.n,
                    off_rate=rate(part.n_off, part.n) if lacking else crossed,
                )
            )
    return tuple(found)


def _rater_medians(sample: Sample) -> tuple[Floats, Floats]:
    """Give each participant's median response time and reading speed over the sample's pairs."""
    table, people = sample.table, len(sample.table.participants)
    counted, nothing = rows_of(sample), np.full(people, np.nan)
    if table.response_time_ms is None:
        return nothing, nothing
    timed = counted & (table.response_time_ms != NOT_KNOWN)
    times = grouped_median(table.participant[timed], table.response_time_ms[timed].astype(np.float64), people)
    speed = words_per_minute(table)
    paced = counted & ~np.isnan(speed)
    return times, grouped_median(table.participant[paced], speed[paced], people)


def _shrunken_raters(model: ConditionModel | Undetermined, raters: int) -> tuple[list[Number], list[Number]]:
    """Give each rater's d′ and c by the model: the group's value moved by the rater's shrunken deviation.

    Where the model found no spread, the deviations are 0 because of the model, not because of the raters.
    """
    if isinstance(model, Undetermined):
        return [model] * raters, [model] * raters
    deviations = model.conditional.raters
    d_prime: list[Number] = [NO_SLOPE_SPREAD] * raters
    if _spread(model.rater_slope_sd):
        d_prime = (model.condition.estimate + deviations[:, 1]).tolist()
    criterion: list[Number] = [NO_RATER_SPREAD] * raters
    if _spread(model.rater_sd):
        criterion = (-(model.intercept.estimate + deviations[:, 0])).tolist()
    return d_prime, criterion


def _spread(sd: float | None) -> bool:
    """Whether the model has this spread and did not estimate it at its bound."""
    return sd is not None and sd >= SINGULAR_SD


def _shrunken_pairs(sample: Sample, model: ConditionModel | Undetermined) -> list[Estimate | Undetermined]:
    """Give each pair's OFF rate by the model, for a typical rater."""
    names = [sample.table.stimuli[place].condition for place in sample.pairs.tolist()]
    if isinstance(model, Undetermined):
        return [model] * len(names)
    in_order = (sample.baseline.name, sample.target.name)
    in_model = [k for name in in_order for k, of_pair in enumerate(names) if of_pair == name]
    found: list[Estimate | Undetermined] = [
        Undetermined(reason="the model has target and baseline pairs only") for _ in names
    ]
    if not _spread(model.pair_sd):
        for column in in_model:
            found[column] = NO_PAIR_SPREAD
        return found
    for column, estimate in zip(in_model, pair_rates(sample.contrast, model), strict=True):
        found[column] = estimate
    return found


def _known(value: float, otherwise: Undetermined) -> Number:
    return otherwise if math.isnan(value) else value
