"""All stored answers, joined with what was shown: columns in chunks, for files and for the analysis."""

from collections.abc import Iterator
from dataclasses import dataclass

from limen.core.sessions import Mode, participant_code
from limen.core.stimuli import StimulusSet
from limen.workflow.ports import Reading, TrialColumns

ATTENTION = "ATTENTION"
"""What stands in the column of conditions for an attention check."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedTrials:
    """Stored trials as columns, with who gave them and what was shown."""

    participant_id: tuple[str, ...]
    pair_id: tuple[str, ...]
    condition: tuple[str, ...]
    columns: TrialColumns


def joined_trials(reading: Reading, stimuli: StimulusSet, mode: Mode) -> Iterator[JoinedTrials]:
    """Give every stored trial of a mode with its pair and condition, in chunks, ordered by participant and trial.

    Sessions that were made with other stimuli are not among them; `Reading.stimulus_digests` counts those.
    """
    conditions = {s.pair_id: s.pair.condition for s in stimuli.stimuli}
    conditions |= {c.check_id: ATTENTION for c in stimuli.checks}
    for columns in reading.trials(mode, stimuli.digest()):
        names = {number: participant_code(number) for number in set(columns.participant_number)}
        yield JoinedTrials(
            participant_id=tuple(map(names.__getitem__, columns.participant_number)),
            pair_id=columns.stimulus_id,
            condition=tuple(map(conditions.__getitem__, columns.stimulus_id)),
            columns=columns,
        )
