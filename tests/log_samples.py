"""A small log of every format, of our own making, in the shape that the format's documentation gives.

Each sample holds the same dialogue, with what the format has around it: thinking, tools, branches that were left.
"""

import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from builders import prose

Said = Sequence[tuple[str, str]]
"""A dialogue: what the user asked and what the model answered."""

Record = dict[str, Any]


def a_dialogue(replies: int = 5, words: int = 230, seed: str = "sample") -> list[tuple[str, str]]:
    return [(f"Question {n}, please?", prose(words, f"{seed}/{n}")) for n in range(1, replies + 1)]


def messages(said: Said) -> list[Record]:
    return [
        message
        for question, answer in said
        for message in ({"role": "user", "content": question}, {"role": "assistant", "content": answer})
    ]


def canonical(said: Said) -> Record:
    return {
        "schema": "limen.conversation/1",
        "id": "own-1",
        "model": "gpt-4o",
        "tags": {"language": "English"},
        "turns": [
            {"i": i, "role": message["role"], "text": message["content"]} for i, message in enumerate(messages(said))
        ],
    }


def run_file(said: Said) -> Record:
    log: list[Record] = [{"exchange": 0, "speaker": "subject", "role": "baseline", "content": "This is how it began."}]
    for n, (question, answer) in enumerate(said, 1):
        log.append({"exchange": n, "speaker": "ziggy", "content": question})
        log.append({"exchange": n, "speaker": "subject", "content": answer})
    drifts = [0.1 + n / 10 for n in range(len(said))]
    return {"subject_id": "control_1", "ship": "gpt-4o-mini", "drift_sequence": drifts, "conversation_log": log}


def exchanges(said: Said) -> list[Record]:
    return [
        {"probe_id": n, "prompt_text": question, "response_text": answer, "drift": n / 10}
        for n, (question, answer) in enumerate(said)
    ]


def probe_sequence(said: Said) -> Record:
    return {"subject_id": "probed_1", "model": "grok-2", "probe_sequence": exchanges(said)}


def phases(said: Said) -> Record:
    return {"subject_id": "phased_1", "model": "gemini-pro", "phases": {"calm": {"exchanges": exchanges(said)}}}


def openai_messages(said: Said) -> Record:
    return {
        "id": "chat-1",
        "model": "gpt-4o",
        "messages": [{"role": "system", "content": "Be brief."}, *messages(said)],
    }


def sharegpt(said: Said) -> Record:
    return {
        "id": "share-1",
        "model": "gpt-4",
        "conversations": [
            {"from": "human" if m["role"] == "user" else "gpt", "value": m["content"]} for m in messages(said)
        ],
    }


def wildchat(said: Said) -> Record:
    marks = {"language": "English", "toxic": False, "redacted": False, "country": "Norway", "turn_identifier": 101002}
    return {
        "conversation_hash": "0a1b2c3d4e5f",
        "model": "gpt-4-0314",
        "timestamp": "2023-04-09T00:02:53+00:00",
        "conversation": [m | marks for m in messages(said)],
        "turn": len(said),
        "language": "English",
        "openai_moderation": [{"flagged": False, "categories": {"hate": False}} for _ in said],
        "toxic": False,
        "redacted": False,
    }


def lmsys_chat(said: Said) -> Record:
    return {
        "conversation_id": "33f01939a744455c869cb234afca47f1",
        "model": "vicuna-33b",
        "conversation": messages(said),
        "turn": len(said),
        "language": "Portuguese",
        "openai_moderation": [{"flagged": False, "categories": {"hate": False}} for _ in said],
        "redacted": False,
    }


def chatbot_arena(said: Said) -> Record:
    return {
        "question_id": "58210e39b3fd4441a2bd4a518bb44c2d",
        "model_a": "claude-v1",
        "model_b": "koala-13b",
        "winner": "model_a",
        "judge": "arena_user_973",
        "conversation_a": messages(said),
        "conversation_b": messages([(question, f"Well. {answer}") for question, answer in said]),
        "turn": len(said),
        "anony": True,
        "language": "English",
        "tstamp": 1682351591.1322,
    }


def arena_55k(said: Said) -> Record:
    return {
        "id": 30192,
        "model_a": "gpt-4-1106-preview",
        "model_b": "gpt-4-0613",
        "prompt": json.dumps([question for question, _ in said]),
        "response_a": json.dumps([answer for _, answer in said]),
        "response_b": json.dumps([f"Well. {answer}" for _, answer in said]),
        "winner_model_a": 1,
        "winner_model_b": 0,
        "winner_tie": 0,
    }


def inspect_sample(said: Said) -> Record:
    """A sample whose first answer is held as an attachment, with reasoning and a tool call among the messages."""
    spoken: list[Record] = [{"role": "system", "content": "Be brief."}]
    for n, message in enumerate(messages(said)):
        if message["role"] == "assistant":
            text = "attachment://b1946ac92492d2347c6235b4d2611184" if n == 1 else message["content"]
            parts = [{"type": "reasoning", "reasoning": "SECRET", "redacted": False}, {"type": "text", "text": text}]
            spoken.append({"id": f"m{n}", "role": "assistant", "source": "generate", "content": parts})
        else:
            spoken.append({"id": f"m{n}", "role": "user", "source": "input", "content": message["content"]})
    spoken.append(
        {"role": "assistant", "content": "", "tool_calls": [{"id": "t1", "function": "add", "arguments": {}}]}
    )
    spoken.append({"role": "tool", "tool_call_id": "t1", "function": "add", "content": "4"})
    return {
        "id": 1,
        "epoch": 1,
        "input": said[0][0],
        "target": "yes",
        "messages": spoken,
        "output": {"model": "gpt-4o-2024-08-06", "choices": []},
        "scores": {"match": {"value": "C"}},
        "attachments": {"b1946ac92492d2347c6235b4d2611184": said[0][1]},
    }


def inspect_header() -> Record:
    evaluation = {
        "eval_id": "HkY4",
        "run_id": "VrkP",
        "created": "2025-05-01T10:00:00+00:00",
        "task": "voice",
        "model": "openai/gpt-4o",
    }
    return {"version": 2, "status": "success", "eval": evaluation, "results": {"total_samples": 1, "scores": []}}


def chatgpt_export(said: Said) -> Record:
    """A tree with a branch that was left, hidden context, thoughts and a tool call."""

    def node(name: str, parent: str | None, role: str, text: str, **more: Any) -> Record:
        content = {"content_type": more.pop("content_type", "text"), "parts": [text]}
        message = {"id": name, "author": {"role": role}, "content": content, "recipient": "all", "weight": 1.0} | more
        return {"id": name, "parent": parent, "children": [], "message": message}

    nodes: dict[str, Record] = {"root": {"id": "root", "parent": None, "children": [], "message": None}}
    nodes["hidden"] = node("hidden", "root", "system", "", weight=0.0)
    last = "hidden"
    for n, (question, answer) in enumerate(said, 1):
        nodes[f"q{n}"] = node(f"q{n}", last, "user", question)
        nodes[f"left{n}"] = node(f"left{n}", f"q{n}", "assistant", f"LEFT {answer}")
        nodes[f"t{n}"] = node(f"t{n}", f"q{n}", "assistant", "SECRET", content_type="thoughts")
        nodes[f"c{n}"] = node(f"c{n}", f"t{n}", "assistant", "search()", recipient="web")
        slug = {"model_slug": "gpt-4o"}
        nodes[f"a{n}"] = node(f"a{n}", f"c{n}", "assistant", answer, metadata=slug)
        last = f"a{n}"
    for name, held in nodes.items():
        if held["parent"]:
            nodes[held["parent"]]["children"].append(name)
    return {
        "title": "About gardens",
        "create_time": 1736209400.0,
        "mapping": nodes,
        "current_node": last,
        "conversation_id": "8f3a2b1c",
        "default_model_slug": "auto",
    }


def claude_export(said: Said) -> Record:
    chat = []
    for n, message in enumerate(messages(said)):
        thinking = [{"type": "thinking", "thinking": "SECRET"}] if message["role"] == "assistant" else []
        chat.append(
            {
                "uuid": f"m{n}",
                "sender": "human" if message["role"] == "user" else "assistant",
                "text": message["content"],
                "content": [*thinking, {"type": "text", "text": message["content"]}],
                "created_at": "2026-02-14T10:04:22Z",
                "attachments": [],
                "files": [],
            }
        )
    account = {"uuid": "a-1"}
    return {"uuid": "c-77", "name": "About gardens", "summary": "", "chat_messages": chat, "account": account}


def anthropic_messages(said: Said) -> Record:
    *before, (question, answer) = said
    thinking = {"type": "thinking", "thinking": "SECRET", "signature": "EqQB"}
    history = [
        m
        if m["role"] == "user"
        else {"role": "assistant", "content": [thinking, {"type": "text", "text": m["content"]}]}
        for m in messages(before)
    ]
    return {
        "request": {
            "model": "claude-3-7-sonnet-20250219",
            "max_tokens": 1024,
            "system": [{"type": "text", "text": "Be brief."}],
            "messages": [*history, {"role": "user", "content": question}],
        },
        "response": {
            "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
            "type": "message",
            "role": "assistant",
            "model": "claude-3-7-sonnet-20250219",
            "content": [thinking, {"type": "text", "text": answer[:40]}, {"type": "text", "text": answer[40:]}],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 20},
        },
    }


def gemini_contents(said: Said) -> Record:
    *before, (question, answer) = said
    history = [
        {"role": "user" if m["role"] == "user" else "model", "parts": [{"text": m["content"]}]}
        for m in messages(before)
    ]
    reply = {"role": "model", "parts": [{"text": "SECRET", "thought": True}, {"text": answer}]}
    return {
        "request": {
            "contents": [*history, {"role": "user", "parts": [{"text": question}]}],
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
        },
        "response": {
            "candidates": [{"content": reply, "finishReason": "STOP", "index": 0}],
            "modelVersion": "gemini-2.5-flash",
            "responseId": "mZ1oaLmH",
        },
    }


def promptfoo_result(said: Said) -> Record:
    *before, (question, answer) = said
    raw = json.dumps([*messages(before), {"role": "user", "content": question}])
    return {
        "promptIdx": 0,
        "testIdx": 3,
        "promptId": "9f86d081",
        "testCase": {"vars": {"question": question}},
        "provider": {"id": "openai:chat:gpt-4o-mini", "label": ""},
        "prompt": {"raw": raw, "label": "chat.json"},
        "vars": {"question": question},
        "response": {"output": answer, "tokenUsage": {"total": 120}},
        "success": True,
        "score": 1,
        "latencyMs": 812,
        "namedScores": {},
    }


RECORDS: Mapping[str, Callable[[Said], Record]] = {
    "Anthropic messages": anthropic_messages,
    "ChatGPT export": chatgpt_export,
    "Chatbot Arena": chatbot_arena,
    "Claude export": claude_export,
    "Gemini contents": gemini_contents,
    "Inspect": inspect_sample,
    "LMSYS-Chat": lmsys_chat,
    "OpenAI messages": openai_messages,
    "ShareGPT": sharegpt,
    "WildChat": wildchat,
    "limen.conversation/1": canonical,
    "phases": phases,
    "probe sequence": probe_sequence,
    "promptfoo": promptfoo_result,
    "run file": run_file,
}
"""A record of every known format, by the format's name."""

VARIANTS: Mapping[str, Sequence[Callable[[Said], Record]]] = {
    "Chatbot Arena": (arena_55k,),
    "Anthropic messages": (
        lambda said: anthropic_messages(said)["request"],
        lambda said: anthropic_messages(said)["response"],
        lambda said: anthropic_messages(said)["request"] | {"response": anthropic_messages(said)["response"]},
        lambda said: {
            "custom_id": "batch-1",
            "params": anthropic_messages(said)["request"],
            "result": {"type": "succeeded", "message": anthropic_messages(said)["response"]},
        },
    ),
    "Gemini contents": (
        lambda said: gemini_contents(said)["request"],
        lambda said: gemini_contents(said)["response"],
        lambda said: gemini_contents(said)["request"] | gemini_contents(said)["response"],
    ),
}
"""Other records that a format also reads."""


def sample_file(name: str, said: Said) -> bytes:
    """Give a file as the tool behind a format writes it."""
    record = RECORDS[name](said)
    wrapped: Record | list[Record]
    if name == "Inspect":
        wrapped = inspect_header() | {"samples": [record]}
    elif name == "promptfoo":
        summary = {"version": 3, "prompts": [], "results": [record], "stats": {"successes": 1}}
        wrapped = {"evalId": "eval-7gG", "results": summary, "config": {}, "shareableUrl": None}
    elif name in ("ChatGPT export", "Claude export"):
        wrapped = [record]
    elif name == "run file":
        wrapped = {"run": "020B", "results": [record]}
    else:
        return json.dumps(record).encode() + b"\n"
    return json.dumps(wrapped, indent=1).encode()


def eval_file(samples: Sequence[Record], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Give an Inspect log as the archive that Inspect writes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as archive:
        archive.writestr(
            "_journal/start.json", json.dumps({"version": 2, "eval": inspect_header()["eval"], "plan": {}})
        )
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
        archive.writestr("summaries.json", "[]")
        archive.writestr("header.json", json.dumps(inspect_header()))
    return packed.getvalue()
