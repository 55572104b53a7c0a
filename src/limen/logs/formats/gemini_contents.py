"""Calls of the Gemini API, as programs log them: a request with `contents`, an answer with `candidates`, or both.

Shape: https://ai.google.dev/api/generate-content (`contents[].{role, parts}`, `systemInstruction`,
`candidates[].content`, `modelVersion`, `responseId`) and https://ai.google.dev/gemini-api/docs/thinking (parts with
`thought: true`, which are dropped). How a log puts the two together is its own affair: taken are `{request, response}`
and the two as one flat object. Names may be written as the Python package writes them (`system_instruction`,
`model_version`). Of several candidates the first is read.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.messages import a_turn, first_id, spoken


def _matches(record: Record) -> bool:
    request, answer = _parts(record)
    return _is_contents(request.get("contents")) or _first_content(answer) is not None


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    request, answer = _parts(record)
    said: list[tuple[object, str | None]] = []
    instruction = request.get("systemInstruction") or request.get("system_instruction")
    if instruction:
        said.append(("system", _text(instruction)))
    contents = request.get("contents")
    if isinstance(contents, str):
        said.append(("user", contents))
    elif _is_contents(contents):
        said += [(content.get("role") or "user", _text(content)) for content in contents or ()]
    reply = _first_content(answer)
    if reply is not None:
        said.append(("model", _text(reply)))
    version = text_or_none(answer.get("modelVersion")) or text_or_none(answer.get("model_version"))
    name = text_or_none(request.get("model")) or text_or_none(record.get("model"))
    yield from spoken(
        origin,
        [a_turn(i, role, text) for i, (role, text) in enumerate(said)],
        name=first_id(record, "conversation_id", "id", "key") or first_id(answer, "responseId", "response_id"),
        model=version or (name.removeprefix("models/") if name else None),
    )


def _parts(record: Record) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    request, answer = record.get("request"), record.get("response")
    return request if isinstance(request, Mapping) else record, answer if isinstance(answer, Mapping) else record


def _is_contents(value: object) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(content, Mapping) and isinstance(content.get("parts"), list) for content in value)
    )


def _first_content(answer: Mapping[str, Any]) -> Mapping[str, Any] | None:
    candidates = answer.get("candidates")
    first = candidates[0] if isinstance(candidates, list) and candidates else None
    content = first.get("content") if isinstance(first, Mapping) else None
    return content if isinstance(content, Mapping) and isinstance(content.get("parts"), list) else None


def _text(content: object) -> str | None:
    parts = content.get("parts") if isinstance(content, Mapping) else None
    if isinstance(content, str):
        return content
    said = [
        part["text"]
        for part in (parts if isinstance(parts, list) else [])
        if isinstance(part, Mapping) and isinstance(part.get("text"), str) and part.get("thought") is not True
    ]
    return "".join(said) if said else None


FORMAT = LogFormat(name="Gemini contents", matches=_matches, read=_read)
