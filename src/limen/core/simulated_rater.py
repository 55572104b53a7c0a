"""One simulated rater: all that it will say, and how long by the clock that it carries.

What a rater does is drawn before it begins, from a stream of its own: so it is the same whether it comes over HTTP,
in a browser or straight into the store, alone or among others, and whatever order the trials come in.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from limen.core.analysis.generators import named_generator
from limen.core.analysis.trials import ShownStimulus
from limen.core.characters import Character
from limen.core.excerpt import count_words
from limen.core.judgment import Attempt, InputKind, Judgment, Response
from limen.core.protocol import PracticeTrial, Protocol
from limen.core.sessions import DemographicsAnswer, Screen, StrategyAnswer
from limen.core.simulated import SIGNALS, WORDS_WHEN_UNKNOWN, check_answers
from limen.core.simulation import simulate_rater_answers, simulate_response_times_ms
from limen.core.wording import DebriefWording

FIRST_BEGINS = datetime(2025, 1, 1, tzinfo=UTC)
"""Simulated time: the same in every run. Raters begin a minute apart."""

BETWEEN_RATERS = timedelta(minutes=1)

_SCREEN_WORDS = {
    Screen.CONSENT: 200,
    Screen.SCREENING: 60,
    Screen.INSTRUCTIONS: 90,
    Screen.BREAK: 60,
    Screen.STRATEGY: 60,
    Screen.DEMOGRAPHICS: 40,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedAnswer:
    """What one simulated rater says of one stimulus, and how long it takes."""

    response: Response
    response_time_ms: int

    def judged(self, shown: datetime) -> Judgment:
        """Give the judgment of someone who saw the trial from then on, on a screen large enough for all of it."""
        return Judgment(
            response=self.response,
            response_time_ms=self.response_time_ms,
            client_time=shown + timedelta(milliseconds=self.response_time_ms),
            queued_offline=False,
            attempts=(Attempt(visible_ms=self.response_time_ms, hidden_ms=0, started=shown),),
            focus_losses=0,
            focus_lost_ms=0,
            copies=0,
            b_seen=1.0,
            input=InputKind.POINTER,
            viewport_width=1280,
            viewport_height=800,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRater:
    """Everything one rater will do, whatever order the trials come in."""

    number: int
    character: str
    begins: datetime
    practice: tuple[SimulatedAnswer, ...]
    answers: Mapping[str, SimulatedAnswer]  # by stimulus
    screens: Mapping[Screen, int]  # for how many milliseconds each is visible
    strategy: StrategyAnswer
    demographics: DemographicsAnswer


def simulate_raters(
    protocol: Protocol, stimuli: tuple[ShownStimulus, ...], cast: Sequence[Character], *, first: int = 1
) -> Iterator[SimulatedRater]:
    """Draw raters number `first` and on, one for each character of the cast, from the study seed."""
    pairs = tuple(stimulus for stimulus in stimuli if stimulus.is_pair)
    shifts = named_generator(protocol.study.seed, "simulation/pairs").standard_normal(len(pairs))
    for number, character in enumerate(cast, first):
        yield _simulate_rater(protocol, stimuli, character, number, shifts)


def _simulate_rater(
    protocol: Protocol,
    stimuli: tuple[ShownStimulus, ...],
    character: Character,
    number: int,
    shifts: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> SimulatedRater:
    rng = named_generator(protocol.study.seed, f"simulation/rater/{number}")
    pairs = tuple(stimulus for stimulus in stimuli if stimulus.is_pair)
    checks = tuple(stimulus for stimulus in stimuli if not stimulus.is_pair)
    observers = character.observers
    signal = [SIGNALS[protocol.condition(stimulus.condition or "").role] for stimulus in pairs]
    off = [
        *simulate_rater_answers(observers, signal=signal, pair_shift=observers.pair_sd * shifts, rng=rng).tolist(),
        *check_answers(checks, observers, 1, rng)[0].tolist(),
        *(expected_off ^ (rng.random() < observers.lapse_rate / 2) for expected_off in _practice_off(protocol)),
    ]
    shown = [WORDS_WHEN_UNKNOWN if stimulus.words is None else stimulus.words for stimulus in (*pairs, *checks)]
    words = [*shown, *map(_practice_words, protocol.practice), *_SCREEN_WORDS.values()]
    times = simulate_response_times_ms(character.readers, words=words, raters=1, rng=rng)[0].tolist()
    answers = [
        SimulatedAnswer(response=Response.SOMETHINGS_OFF if one else Response.NORMAL, response_time_ms=ms)
        for one, ms in zip(off, times[: len(off)], strict=True)
    ]
    strategy, demographics = _debriefed(protocol.wording.debrief, character, rng)
    return SimulatedRater(
        number=number,
        character=character.name,
        begins=FIRST_BEGINS + (number - 1) * BETWEEN_RATERS,
        practice=tuple(answers[len(shown) :]),
        answers={s.stimulus_id: answer for s, answer in zip((*pairs, *checks), answers, strict=False)},
        screens=dict(zip(_SCREEN_WORDS, times[len(off) :], strict=True)),
        strategy=strategy,
        demographics=demographics,
    )


def _practice_off(protocol: Protocol) -> list[bool]:
    return [trial.expected is Response.SOMETHINGS_OFF for trial in protocol.practice]


def _practice_words(trial: PracticeTrial) -> int:
    return count_words(trial.response_a) + count_words(trial.response_b)


def _debriefed(
    words: DebriefWording, character: Character, rng: np.random.Generator
) -> tuple[StrategyAnswer, DemographicsAnswer]:
    if not character.answers_debrief:
        return (
            StrategyAnswer(options=(), other="", skipped=True),
            DemographicsAnswer(age=None, use=None, skipped=True),
        )
    options = rng.choice(len(words.strategy.options), size=min(2, len(words.strategy.options)), replace=False)
    return (
        StrategyAnswer(options=tuple(sorted(options.tolist())), other="", skipped=False),
        DemographicsAnswer(
            age=int(rng.integers(len(words.demographics.age_options))),
            use=int(rng.integers(len(words.demographics.use_options))),
            skipped=False,
        ),
    )
