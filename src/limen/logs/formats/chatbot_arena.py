"""Chatbot Arena: rows in which two models answer the same person, side by side. Each side is a conversation.

Shapes: the dataset cards https://huggingface.co/datasets/lmsys/chatbot_arena_conversations and
https://huggingface.co/datasets/lmarena-ai/arena-human-preference-100k (`question_id`, `model_a`, `model_b`, `winner`,
`conversation_a` and `conversation_b` as lists of `{content, role}`, `turn`, `language`, …), and
https://huggingface.co/datasets/lmsys/lmsys-arena-human-preference-55k (`id`, `model_a`, `model_b`, and `prompt`,
`response_a`, `response_b` as lists, or as text that holds a JSON list). A list that is written as text is decoded. JSON
Lines or Parquet.
"""

import json
from collections.abc import Iterator

from limen.core.conversation import LANGUAGE, Conversation, Turn
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record
from limen.logs.messages import a_turn, first_id, message_turns, spoken

_SIDES = ("a", "b")


def _matches(record: Record) -> bool:
    if not {"model_a", "model_b"} <= record.keys():
        return False
    return {"conversation_a", "conversation_b"} <= record.keys() or {"prompt", "response_a", "response_b"} <= (
        record.keys()
    )


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    name = first_id(record, "question_id", "id") or origin.id
    for side in _SIDES:
        turns = _turns(record, side)
        if turns is None:
            yield origin.problem(f"side {side}: prompts and responses are no lists of equal length")
            continue
        yield from spoken(
            origin,
            turns,
            name=f"{name}:{side}",
            model=record.get(f"model_{side}"),
            tags={"side": side, LANGUAGE: record.get("language")},
        )


def _turns(record: Record, side: str) -> list[Turn] | None:
    said = _list(record.get(f"conversation_{side}"))
    if said is not None:
        return message_turns(said)
    prompts, responses = _list(record.get("prompt")), _list(record.get(f"response_{side}"))
    if prompts is None or responses is None or len(prompts) != len(responses):
        return None
    turns: list[Turn] = []
    for prompt, response in zip(prompts, responses, strict=True):
        turns.append(a_turn(len(turns), "user", prompt if isinstance(prompt, str) else None))
        turns.append(a_turn(len(turns), "assistant", response if isinstance(response, str) else None))
    return turns


def _list(value: object) -> list[object] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return [value]  # one prompt or one response that is plain text
    return value if isinstance(value, list) else None


FORMAT = LogFormat(
    name="Chatbot Arena",
    matches=_matches,
    read=_read,
    fields=(
        *("question_id", "id", "model_a", "model_b", "conversation_a", "conversation_b"),
        *("prompt", "response_a", "response_b", "language"),
    ),
)
