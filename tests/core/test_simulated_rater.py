"""A simulated rater is drawn once, whatever way it comes, and carries a clock of its own."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from builders import s3
from limen.core.blinding import blind_study
from limen.core.characters import CHARACTERS, cast_of, parse_mixture
from limen.core.judgment import Response
from limen.core.sessions import Screen
from limen.core.shown import shown_stimuli
from limen.core.simulated_rater import SimulatedRater, simulate_raters
from limen.core.simulated_visit import Asks, Completed, Judged, Looked, Painted, Practiced, Step, steps_of
from studies import a_stimulus_set

STIMULI = shown_stimuli(s3(), a_stimulus_set())
PAIRS = [stimulus for stimulus in STIMULI if stimulus.is_pair]
CHECKS = [stimulus for stimulus in STIMULI if not stimulus.is_pair]


def raters(name: str, count: int, first: int = 1) -> list[SimulatedRater]:
    cast = cast_of(parse_mixture(name), first=first, raters=count)
    return list(simulate_raters(s3(), STIMULI, cast, first=first))


def off_rate(crowd: Sequence[SimulatedRater], condition: str) -> float:
    said = [r.answers[s.stimulus_id].response for r in crowd for s in PAIRS if s.condition == condition]
    return float(np.mean([response is Response.SOMETHINGS_OFF for response in said]))


def main_task_s(rater: SimulatedRater) -> float:
    return sum(answer.response_time_ms for answer in rater.answers.values()) / 1000


def walk(rater: SimulatedRater, order: Sequence[str], break_after: int = 0) -> list[Step]:
    study = replace(blind_study(s3(), a_stimulus_set()), break_after=break_after)
    steps = steps_of(rater, study)
    taken = [next(steps)]
    while True:
        try:
            last = taken[-1]
            taken.append(steps.send(order[last.number - 1]) if isinstance(last, Asks) else next(steps))
        except StopIteration:
            return taken


def test_perceptive_raters_tell_the_conditions_apart_and_blind_ones_do_not() -> None:
    perceptive, blind, yes = (raters(name, 60) for name in ("perceptive", "blind", "yes-sayer"))
    assert off_rate(perceptive, "CATASTROPHIC") > 0.75
    assert off_rate(perceptive, "BASELINE") < 0.25
    assert off_rate(blind, "CATASTROPHIC") < 0.3
    assert off_rate(blind, "BASELINE") < 0.3
    assert min(off_rate(yes, "CATASTROPHIC"), off_rate(yes, "BASELINE")) > 0.7


def test_careless_raters_are_faster_than_five_minutes_and_fail_checks() -> None:
    careless, careful = raters("careless", 40), raters("perceptive", 40)
    assert np.mean([main_task_s(rater) < 300 for rater in careless]) > 0.9
    assert all(main_task_s(rater) > 300 for rater in careful)

    def failed(crowd: list[SimulatedRater]) -> float:
        return float(np.mean([r.answers[c.stimulus_id].response != c.expected for r in crowd for c in CHECKS]))

    assert failed(careless) > 0.3
    assert failed(careful) < 0.05
    assert all(rater.strategy.skipped and rater.demographics.skipped for rater in careless)


def test_a_rater_is_the_same_alone_and_among_others() -> None:
    assert raters("mixed", 12)[4:] == raters("mixed", 8, first=5)
    assert raters("mixed", 1) != raters("mixed", 1, first=2)


def test_another_seed_gives_other_raters() -> None:
    other = replace(s3(), study=replace(s3().study, seed=s3().study.seed + 1))
    cast = [CHARACTERS["perceptive"]]
    assert list(simulate_raters(other, STIMULI, cast)) != list(simulate_raters(s3(), STIMULI, cast))


@given(st.permutations([stimulus.stimulus_id for stimulus in STIMULI]))
def test_what_is_said_of_a_stimulus_does_not_depend_on_the_order(order: list[str]) -> None:
    (rater,) = raters("perceptive", 1)
    judged = [step for step in walk(rater, order) if isinstance(step, Judged)]
    assert [step.number for step in judged] == list(range(1, len(order) + 1))
    assert [step.judgment.response for step in judged] == [rater.answers[shown].response for shown in order]


def test_the_clock_goes_on_by_what_the_rater_claims() -> None:
    (rater,) = raters("perceptive", 1)
    steps = walk(rater, [stimulus.stimulus_id for stimulus in STIMULI], break_after=12)
    assert [type(step).__name__ for step in steps[:6]] == ["Looked"] * 3 + ["Practiced"] * 2 + ["Asks"]
    judgments = [step.judgment for step in steps if isinstance(step, Practiced | Judged)]
    for judgment in judgments:
        (attempt,) = judgment.attempts
        assert judgment.client_time - attempt.started == timedelta(milliseconds=judgment.response_time_ms)
    times = [moment for j in judgments for moment in (j.attempts[0].started, j.client_time)]
    assert times == sorted(times)
    (painted,) = [step for step in steps if isinstance(step, Painted)]
    assert painted.at == next(step.judgment.attempts[0].started for step in steps if isinstance(step, Judged))
    (rest,) = [step for step in steps if isinstance(step, Looked) and step.screen is Screen.BREAK]
    assert (
        steps.index(rest) == next(k for k, step in enumerate(steps) if isinstance(step, Asks) and step.number == 13) - 1
    )
    last = steps[-1]
    assert isinstance(last, Completed)
    assert last.main_task_ms == rest.visible_ms + round(main_task_s(rater) * 1000)
