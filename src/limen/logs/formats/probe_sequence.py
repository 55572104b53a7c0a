"""Records with `probe_sequence`: a list of probes with text and drift side by side.

The reference is the record's `baseline_text`, else the first reply. The file does not name its metric.
"""

from collections.abc import Iterator

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.side_by_side import read_side_by_side


def _matches(record: Record) -> bool:
    return isinstance(record.get("probe_sequence"), list)


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    name = text_or_none(record.get("subject_id")) or text_or_none(record.get("id")) or origin.id
    yield from read_side_by_side(record["probe_sequence"], record, origin, name=name, tags={})


FORMAT = LogFormat(name="probe sequence", matches=_matches, read=_read)
