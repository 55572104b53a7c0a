"""Simulated observers as a table of answers: with orders, attention checks and times, without a store."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.generators import named_generator
from limen.core.analysis.trials import Participants, ShownStimulus, TaskClock, TrialTable
from limen.core.judgment import Response
from limen.core.protocol import ConditionRole, Protocol
from limen.core.simulation import (
    BASELINE_SIGNAL,
    TARGET_SIGNAL,
    Observers,
    Readers,
    simulate_response_times_ms,
    simulate_study,
)

SIMULATED = "simulated"
START_US = 1_735_689_600_000_000  # the first minute of 2025: a simulated time, the same in every run
BETWEEN_STARTS_US = 60_000_000
BETWEEN_TRIALS_MS = 400
WORDS_WHEN_UNKNOWN = 500

SIGNALS = {
    ConditionRole.BASELINE: BASELINE_SIGNAL,
    ConditionRole.TARGET: TARGET_SIGNAL,
    ConditionRole.BETWEEN: 0.0,
    ConditionRole.CONTROL: BASELINE_SIGNAL,
}

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """So many simulated raters: how they perceive, and how fast they read."""

    raters: int
    observers: Observers = field(default_factory=Observers)
    readers: Readers = field(default_factory=Readers)


def simulate_table(
    protocol: Protocol, stimuli: tuple[ShownStimulus, ...], crowd: Crowd, stream: str = "simulation"
) -> TrialTable:
    """Let a crowd take the whole survey. Chance comes from the study seed by the stream's name.

    Attention checks are answered as expected but for lapses. The raters carry their own clock.
    """
    rng = named_generator(protocol.study.seed, stream)
    pairs = tuple(stimulus for stimulus in stimuli if stimulus.is_pair)
    checks = tuple(stimulus for stimulus in stimuli if not stimulus.is_pair)
    shown = (*pairs, *checks)
    roles = {condition.name: condition.role for condition in protocol.conditions}
    study = simulate_study(
        crowd.observers,
        condition_of_pair=[stimulus.condition or "" for stimulus in pairs],
        signal={name: SIGNALS[role] for name, role in roles.items()},
        raters=crowd.raters,
        rng=rng,
    )
    off = np.concatenate([study.ratings.off, check_answers(checks, crowd.observers, crowd.raters, rng)], axis=1)
    words = [WORDS_WHEN_UNKNOWN if stimulus.words is None else stimulus.words for stimulus in shown]
    times = simulate_response_times_ms(crowd.readers, words=words, raters=crowd.raters, rng=rng)
    order = _orders(protocol, pairs, checks, crowd.raters, rng)
    in_order = np.take_along_axis(times, order, axis=1)
    return TrialTable(
        mode=SIMULATED,
        conditions=tuple(condition.name for condition in protocol.conditions),
        participants=Participants.of(
            [f"P{number:03d}" for number in range(1, crowd.raters + 1)],
            trials_planned=[len(shown)] * crowd.raters,
            main_task_ms=in_order.sum(axis=1).tolist(),
            main_task_clock=[TaskClock.OWN] * crowd.raters,
        ),
        stimuli=shown,
        participant=np.repeat(np.arange(crowd.raters), len(shown)),
        trial_number=np.tile(np.arange(1, len(shown) + 1), crowd.raters),
        stimulus=order.ravel(),
        off=np.take_along_axis(off, order, axis=1).ravel(),
        response_time_ms=in_order.ravel(),
        timestamp_us=_timestamps(in_order),
        attempt=np.ones(order.size, dtype=np.int64),
        copies=np.zeros(order.size, dtype=np.int64),
        focus_losses=np.zeros(order.size, dtype=np.int64),
    )


def check_answers(
    checks: tuple[ShownStimulus, ...], observers: Observers, raters: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Answer attention checks (raters × checks) as expected, but for lapses."""
    wants_off = np.array([check.expected is Response.SOMETHINGS_OFF for check in checks], dtype=np.bool_)
    lapsed = rng.random((raters, len(checks))) < observers.lapse_rate / 2
    return np.asarray(wants_off ^ lapsed, dtype=np.bool_)


def _orders(
    protocol: Protocol,
    pairs: tuple[ShownStimulus, ...],
    checks: tuple[ShownStimulus, ...],
    raters: int,
    rng: np.random.Generator,
) -> Whole:
    """Give, raters × trials, which stimulus comes when: pairs in random order, checks at their positions."""
    total = len(pairs) + len(checks)
    declared = {check.id: check.position for check in protocol.attention_checks}
    by_position = sorted(range(len(checks)), key=lambda k: declared.get(checks[k].stimulus_id, total))
    places = {
        min(declared.get(checks[k].stimulus_id, total), total - (len(checks) - 1 - rank)) - 1: len(pairs) + k
        for rank, k in enumerate(by_position)
    }
    order = np.empty((raters, total), dtype=np.int64)
    for place, stimulus in places.items():
        order[:, place] = stimulus
    rest = [place for place in range(total) if place not in places]
    order[:, rest] = rng.permuted(np.tile(np.arange(len(pairs)), (raters, 1)), axis=1)
    return order


def _timestamps(times_ms: Whole) -> Whole:
    """Give when each answer was received: raters begin a minute apart, and pause a moment between trials."""
    raters, trials = times_ms.shape
    begun = START_US + BETWEEN_STARTS_US * np.arange(raters)[:, None]
    elapsed_ms = np.cumsum(times_ms, axis=1) + BETWEEN_TRIALS_MS * np.arange(trials)
    return np.asarray(begun + 1000 * elapsed_ms, dtype=np.int64).ravel()
