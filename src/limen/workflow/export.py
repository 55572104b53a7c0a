"""Stored answers as they are, before anything is excluded or estimated: to be written out, or only counted."""

from limen.core.sessions import Mode
from limen.core.stimuli import StimulusSet
from limen.workflow.answers import ATTENTION
from limen.workflow.ports import AnswerCount, Reading


def count_by_condition(reading: Reading, stimuli: StimulusSet, mode: Mode) -> dict[str, AnswerCount]:
    """Count the answers of each condition, and of the attention checks. This unblinds whoever sees it."""
    groups: dict[str, list[str]] = {}
    for stimulus in stimuli.stimuli:
        groups.setdefault(stimulus.pair.condition, []).append(stimulus.pair_id)
    groups[ATTENTION] = [check.check_id for check in stimuli.checks]
    return reading.answer_counts(mode, stimuli.digest(), groups)
