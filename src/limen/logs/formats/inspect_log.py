"""Inspect: the samples of an `EvalLog`, from a `.json` log or from the archive that is a `.eval` log.

Shape: https://inspect.aisi.org.uk/eval-logs.html and https://inspect.aisi.org.uk/reference/inspect_ai.log.html
(`EvalLog` has `version`, `status`, `eval` with `model` and `task`, `samples`; `EvalSample` has `id`, `epoch`, `input`,
`target`, `messages`, `output`, `attachments`), with the chat messages of inspect_ai.model. Of a message's content the
parts of type `text` count; `reasoning` does not. Long texts may stand in `attachments`, in their place `attachment://`
and the key (`tc://` in old logs). How the archive is laid out is in `limen.logs.archives`.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.messages import first_id, message_turns, spoken, text_of
from limen.logs.shapes import is_inspect_sample

_REFERENCES = ("attachment://", "tc://")


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    attachments = record.get("attachments")
    resolver = _Attachments(attachments if isinstance(attachments, Mapping) else {})
    messages = [_resolved(message, resolver) for message in record["messages"]]
    evaluation = origin.header.get("eval")
    evaluation = evaluation if isinstance(evaluation, Mapping) else {}
    output = record.get("output")
    run = first_id(evaluation, "eval_id", "run_id")
    sample = ":".join((first_id(record, "id") or origin.record, first_id(record, "epoch") or "1"))
    yield from spoken(
        origin,
        message_turns(messages),
        name=f"{run}:{sample}" if run else sample,
        model=text_or_none(evaluation.get("model")) or (output.get("model") if isinstance(output, Mapping) else None),
        tags={"task": evaluation.get("task")},
    )
    if resolver.missing:
        yield origin.problem("an attachment that the sample does not hold: its text is left empty")


class _Attachments:
    def __init__(self, held: Mapping[str, Any]) -> None:
        self._held = held
        self.missing = 0

    def resolve(self, text: str) -> str:
        """Give the text that a reference stands for; other text as it is."""
        key = next((text.removeprefix(mark) for mark in _REFERENCES if text.startswith(mark)), None)
        if key is None:
            return text
        found = self._held.get(key)
        if not isinstance(found, str):
            self.missing += 1
            return ""
        return found


def _resolved(message: Mapping[str, Any], attachments: _Attachments) -> dict[str, object]:
    content = message.get("content")
    if isinstance(content, list):
        content = [
            {**part, "text": attachments.resolve(part["text"])}
            if isinstance(part, Mapping) and isinstance(part.get("text"), str)
            else part
            for part in content
        ]
    elif isinstance(content, str):
        content = attachments.resolve(content)
    spoken_text = text_of(content)
    # a message that only calls a tool has the content ""
    return {"role": message["role"], "content": None if message.get("tool_calls") and not spoken_text else content}


FORMAT = LogFormat(name="Inspect", matches=is_inspect_sample, read=_read)
