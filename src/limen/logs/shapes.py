"""Shapes that two formats have to agree on, since both hold a list called `messages`."""

from collections.abc import Mapping

from limen.logs.format import Record
from limen.logs.messages import is_messages

THINKING = ("thinking", "redacted_thinking")
"""Blocks of the Messages API in which the model thinks: nobody but the caller sees them."""

_BLOCKS = (*THINKING, "tool_use", "tool_result", "server_tool_use")


def is_inspect_sample(record: Record) -> bool:
    """Tell a sample of an Inspect log by the fields that every sample has."""
    return {"epoch", "input", "target", "messages"} <= record.keys()


def is_anthropic_message(value: object) -> bool:
    """Tell an answer of the Messages API."""
    return (
        isinstance(value, Mapping)
        and value.get("type") == "message"
        and value.get("role") == "assistant"
        and isinstance(value.get("content"), list)
    )


def is_anthropic_call(record: Record) -> bool:
    """Tell a request to the Messages API, its answer, or both, by what no other interface has."""
    request, answer = anthropic_parts(record)
    if is_anthropic_message(answer):
        return True
    return is_messages(request.get("messages")) and ("system" in request or _has_own_blocks(request["messages"]))


def anthropic_parts(record: Record) -> tuple[Record, object]:
    """Give the request and the answer of a logged call, wherever the log puts them; an empty request if none."""
    request = next((record[key] for key in ("request", "params") if isinstance(record.get(key), Mapping)), record)
    body = request.get("body")
    if isinstance(body, Mapping):
        request = body
    result = record.get("result")
    nested = result.get("message") if isinstance(result, Mapping) else None
    answer = next((record[key] for key in ("response", "message") if isinstance(record.get(key), Mapping)), nested)
    return request, answer if answer is not None else record


def _has_own_blocks(messages: list[Mapping[str, object]]) -> bool:
    return any(
        isinstance(block, Mapping) and block.get("type") in _BLOCKS
        for message in messages
        if isinstance(message.get("content"), list)
        for block in message["content"]  # type: ignore[attr-defined]
    )
