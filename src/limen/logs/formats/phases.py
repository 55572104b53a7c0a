"""Records with `phases.<name>.exchanges`: text and drift side by side, one conversation a phase.

The reference is `baseline_text` of the phase or the record, else the first reply. The file does not name
its metric.
"""

from collections.abc import Iterator, Mapping

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.side_by_side import read_side_by_side


def _matches(record: Record) -> bool:
    phases = record.get("phases")
    return isinstance(phases, Mapping) and any(
        isinstance(phase, Mapping) and isinstance(phase.get("exchanges"), list) for phase in phases.values()
    )


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    subject = text_or_none(record.get("subject_id")) or text_or_none(record.get("id")) or origin.id
    for name, phase in record["phases"].items():
        if not isinstance(phase, Mapping) or not isinstance(phase.get("exchanges"), list):
            yield origin.problem("a phase without exchanges")
            continue
        baseline = text_or_none(phase.get("baseline_text")) or record.get("baseline_text")
        yield from read_side_by_side(
            phase["exchanges"],
            {**record, "baseline_text": baseline},
            origin,
            name=f"{subject}:{name}",
            tags={"phase": str(name)},
        )


FORMAT = LogFormat(name="phases", matches=_matches, read=_read)
