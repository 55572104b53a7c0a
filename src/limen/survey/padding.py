"""The length of a trial's message tells nothing: bytes minus the three texts are one constant for the study.

JSON writes some characters longer than they are, so that without padding the rest of the length would depend on
the texts. See docs/adr/0009-trial-padding.md.
"""

from collections.abc import Iterable

from limen.core.blinding import BlindedTrial
from limen.survey.wire import TrialMessage, encode

_FILLER = "."


def constant_overhead(trials: Iterable[BlindedTrial]) -> int:
    """Give the bytes that every trial of a study has besides its three texts: those of the one with the most."""
    return max((_overhead(_message(trial, 0), trial) for trial in trials), default=0)


def padded(trial: BlindedTrial, overhead: int) -> TrialMessage:
    """Give the message of a trial with so much padding that it has the study's overhead."""
    missing = overhead - _overhead(_message(trial, 0), trial)
    if missing < 0:
        raise ValueError("the overhead is not that of a set with this trial in it")
    return _message(trial, missing)


def text_bytes(trial: BlindedTrial) -> int:
    """Give the UTF-8 length of the three texts together."""
    return sum(len(text.encode()) for text in (trial.context, trial.response_a, trial.response_b))


def _overhead(message: TrialMessage, trial: BlindedTrial) -> int:
    return len(encode(message)) - text_bytes(trial)


def _message(trial: BlindedTrial, padding: int) -> TrialMessage:
    return TrialMessage(
        token=trial.token,
        context=trial.context,
        response_a=trial.response_a,
        response_b=trial.response_b,
        pad=_FILLER * padding,
    )
