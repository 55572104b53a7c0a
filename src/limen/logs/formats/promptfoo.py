"""promptfoo: the results of `promptfoo eval --output results.json` (or `.jsonl`), each a prompt and its answer.

Shape: https://www.promptfoo.dev/docs/configuration/outputs, with the types `OutputFile`, `EvaluateSummaryV3` and
`EvaluateResult` of the promptfoo package (`results.results[].{id, promptIdx, testIdx, prompt.raw, vars, provider.id,
response.output, error, success, metadata}`), since the page shows only the outer form. A prompt that is a JSON list of
chat messages is read as these. A provider's id (`openai:chat:gpt-4o`) says provider and model.
"""

import json
from collections.abc import Iterator, Mapping

from limen.core.conversation import Conversation, Turn
from limen.core.log_problems import LogProblem
from limen.logs.format import LogFormat, Origin, Record, text_or_none
from limen.logs.messages import a_turn, first_id, is_messages, message_turns, spoken


def _matches(record: Record) -> bool:
    prompt = record.get("prompt")
    return {"vars", "success", "provider"} <= record.keys() and isinstance(prompt, Mapping) and "raw" in prompt


def _read(record: Record, origin: Origin) -> Iterator[Conversation | LogProblem]:
    answer = record.get("response")
    output = answer.get("output") if isinstance(answer, Mapping) else None
    if output is None:
        yield origin.problem("no text: the provider gave no output")
        return
    turns = _prompted(record["prompt"]["raw"])
    said = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    turns.append(a_turn(len(turns), "assistant", said))
    provider = record["provider"]
    called = text_or_none(provider.get("id")) if isinstance(provider, Mapping) else text_or_none(provider)
    vendor, _, rest = (called or "").partition(":")
    yield from spoken(
        origin,
        turns,
        name=_id(record, origin),
        model=rest.rpartition(":")[2] or called,
        provider=vendor if rest else None,
    )


def _prompted(raw: object) -> list[Turn]:
    text = raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
    try:
        messages = json.loads(text)
    except (ValueError, RecursionError):
        messages = None
    return message_turns(messages) if is_messages(messages) else [a_turn(0, "user", text)]


def _id(record: Record, origin: Origin) -> str | None:
    own = first_id(record, "id")
    run = first_id(origin.header, "evalId")
    test, prompt = first_id(record, "testIdx"), first_id(record, "promptIdx")
    if own or test is None or prompt is None:
        return own
    return f"{run}:{test}:{prompt}" if run else None


FORMAT = LogFormat(name="promptfoo", matches=_matches, read=_read)
