"""A study as it is given to participants: what they may read, and the rules of the door."""

from collections.abc import Mapping
from dataclasses import dataclass

from limen.core.blinding import BlindedStudy, ShownTexts, blind_study, shown_texts
from limen.core.numerals import counted
from limen.core.protocol import Protocol
from limen.core.sessions import Mode
from limen.core.stimuli import StimulusSet
from limen.errors import DataError
from limen.workflow.ports import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedStudy:
    """Protocol and stimuli with what is computed from them once. `live` is False on a pilot's server."""

    protocol: Protocol
    stimuli: StimulusSet
    blinded: BlindedStudy
    texts: Mapping[str, ShownTexts]
    digest: str
    live: bool

    @property
    def front_mode(self) -> Mode:
        """The mode of those who come by the participant's link."""
        return Mode.LIVE if self.live else Mode.PILOT


def serve_study(protocol: Protocol, stimuli: StimulusSet, *, live: bool) -> ServedStudy:
    """Make a study ready to be given to participants."""
    return ServedStudy(
        protocol=protocol,
        stimuli=stimuli,
        blinded=blind_study(protocol, stimuli),
        texts=shown_texts(stimuli),
        digest=stimuli.digest(),
        live=live,
    )


def refuse_other_stimuli(reading: Reading, study: ServedStudy) -> None:
    """Raise DataError when live sessions were made with other stimuli: their plans would show other texts."""
    others = {d: n for d, n in reading.stimulus_digests(Mode.LIVE).items() if d != study.digest}
    if others:
        sessions = counted(sum(others.values()), "live session")
        raise DataError(
            f"this study has {sessions} made with other stimuli than those in stimuli/; "
            "put the old stimuli back, or begin a new study folder"
        )
