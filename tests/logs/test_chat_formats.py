"""The formats that other tools write, by samples of our own making (`log_samples`)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from limen.core.conversation import Conversation, Role
from limen.core.log_problems import LogProblem
from limen.logs.format import Origin, known_formats
from limen.logs.reading import LogFiles
from log_samples import RECORDS, VARIANTS, Said, a_dialogue, chatgpt_export, inspect_sample, sample_file

SAID = a_dialogue(replies=3, words=12)
ONE_SIDED = ("phases", "probe sequence", "run file")


def _read(name: str, record: dict[str, Any], header: dict[str, Any] | None = None) -> tuple[list[Any], list[str]]:
    known = next(known for known in known_formats() if known.name == name)
    items = list(known.read(record, Origin(file="log", record="line 1", header=header or {})))
    problems = [item.reason for item in items if isinstance(item, LogProblem)]
    return [item for item in items if isinstance(item, Conversation)], problems


def _dialogue(conversation: Conversation) -> list[tuple[Role, str]]:
    return [(t.role, t.text) for t in conversation.turns if t.role in (Role.USER, Role.ASSISTANT)]


EXPECTED = [turn for question, answer in SAID for turn in ((Role.USER, question), (Role.ASSISTANT, answer))]


def _every_record() -> list[tuple[str, Callable[[Said], dict[str, Any]]]]:
    more = [(name, made) for name, variants in VARIANTS.items() for made in variants]
    return [*RECORDS.items(), *more]


@pytest.mark.parametrize(("name", "make"), _every_record())
def test_exactly_one_format_matches_a_sample_and_it_is_its_own(
    name: str, make: Callable[[Said], dict[str, Any]]
) -> None:
    assert [known.name for known in known_formats() if known.matches(make(SAID))] == [name]


def test_every_known_format_has_a_sample() -> None:
    assert sorted(RECORDS) == sorted(known.name for known in known_formats())


@pytest.mark.parametrize("name", RECORDS)
def test_the_dialogue_of_a_sample_comes_out_whole_and_without_thinking(name: str, tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(sample_file(name, SAID))
    items = list(LogFiles(names=[str(tmp_path / "log")]).read())
    assert not [item for item in items if isinstance(item, LogProblem)]
    first = items[0]
    assert isinstance(first, Conversation)
    found = [turn for turn in _dialogue(first) if turn[1] != "This is how it began."]
    assert found == EXPECTED
    assert not any("LEFT" in turn.text for turn in first.turns)
    assert not any("SECRET" in turn.text for turn in first.turns if turn.role is Role.ASSISTANT)


@pytest.mark.parametrize(
    ("name", "id", "model", "provider", "tags"),
    [
        ("WildChat", "0a1b2c3d4e5f", "gpt-4-0314", None, {"language": "English"}),
        ("LMSYS-Chat", "33f01939a744455c869cb234afca47f1", "vicuna-33b", None, {"language": "Portuguese"}),
        ("Inspect", "HkY4:1:1", "openai/gpt-4o", None, {"task": "voice"}),
        ("ChatGPT export", "8f3a2b1c", "gpt-4o", "openai", {}),
        ("Claude export", "c-77", None, "anthropic", {}),
        ("Anthropic messages", "msg_01XFDUDYJgAACzvnptvVoYEL", "claude-3-7-sonnet-20250219", None, {}),
        ("Gemini contents", "mZ1oaLmH", "gemini-2.5-flash", None, {}),
        ("promptfoo", "eval-7gG:3:0", "gpt-4o-mini", "openai", {}),
    ],
)
def test_model_provider_and_language_are_taken_where_the_record_says_so(
    tmp_path: Path, name: str, id: str, model: str | None, provider: str | None, tags: dict[str, str]
) -> None:
    (tmp_path / "log").write_bytes(sample_file(name, SAID))
    [found] = LogFiles(names=[str(tmp_path / "log")]).read()
    assert isinstance(found, Conversation)
    assert (found.id, found.model, found.provider, found.tags) == (id, model, provider, tags)


def test_both_conversations_of_an_arena_row_are_read() -> None:
    for make in (RECORDS["Chatbot Arena"], *VARIANTS["Chatbot Arena"]):
        record = make(SAID)
        conversations, problems = _read("Chatbot Arena", record)
        assert problems == []
        assert [c.model for c in conversations] == [record["model_a"], record["model_b"]]
        assert [c.tags["side"] for c in conversations] == ["a", "b"]
        assert len({c.id for c in conversations}) == 2
        assert _dialogue(conversations[0]) == EXPECTED
        assert all(reply.turn.text.startswith("Well. ") for reply in conversations[1].replies)


def test_an_arena_row_whose_lists_do_not_fit_is_a_problem_on_its_side() -> None:
    record = VARIANTS["Chatbot Arena"][0](SAID) | {"response_b": json.dumps(["one"])}
    conversations, problems = _read("Chatbot Arena", record)
    assert [c.tags["side"] for c in conversations] == ["a"]
    assert problems == ["side b: prompts and responses are no lists of equal length"]


@pytest.mark.parametrize(
    ("name", "make"), [(n, v) for n in ("Anthropic messages", "Gemini contents") for v in VARIANTS[n]]
)
def test_a_call_is_read_however_the_log_puts_request_and_answer(
    name: str, make: Callable[[Said], dict[str, Any]]
) -> None:
    [conversation], problems = _read(name, make(SAID))
    assert problems == []
    said = _dialogue(conversation)
    assert said
    assert said in [EXPECTED, EXPECTED[:-1], EXPECTED[-1:]]


def test_text_around_a_tool_call_is_apart_and_text_cut_by_citations_is_one() -> None:
    blocks = [
        {"type": "text", "text": "One "},
        {"type": "text", "text": "sentence."},
        {"type": "tool_use", "id": "t", "name": "look", "input": {}},
        {"type": "text", "text": "Another."},
    ]
    [conversation], _ = _read(
        "Anthropic messages", {"type": "message", "role": "assistant", "content": blocks, "id": "m"}
    )
    assert [turn.text for turn in conversation.turns] == ["One sentence.\n\nAnother."]


def test_an_answer_that_only_thinks_or_calls_is_no_reply() -> None:
    thinking = [{"type": "thinking", "thinking": "SECRET"}]
    conversations, problems = _read(
        "Anthropic messages", {"type": "message", "role": "assistant", "content": thinking, "id": "m"}
    )
    assert (conversations, problems) == ([], ["no text: nobody answers in it"])
    candidates = [{"content": {"role": "model", "parts": [{"functionCall": {"name": "look"}}]}}]
    conversations, problems = _read("Gemini contents", {"candidates": candidates})
    assert (conversations, problems) == ([], ["no text: nobody answers in it"])


def test_the_names_that_the_python_package_of_gemini_writes_are_known() -> None:
    record = {
        "model": "models/gemini-2.0-flash",
        "contents": [{"parts": [{"text": "q"}]}],
        "system_instruction": {"parts": [{"text": "s"}]},
        "candidates": [{"content": {"parts": [{"text": "r"}], "role": "model"}}],
        "response_id": "r1",
    }
    [conversation], _ = _read("Gemini contents", record)
    assert [(t.role, t.text) for t in conversation.turns] == [
        (Role.SYSTEM, "s"),
        (Role.USER, "q"),
        (Role.ASSISTANT, "r"),
    ]
    assert (conversation.id, conversation.model) == ("r1", "gemini-2.0-flash")


def test_a_chatgpt_tree_without_a_current_node_is_followed_to_its_last_leaf() -> None:
    record = chatgpt_export(SAID)
    del record["current_node"]
    [conversation], _ = _read("ChatGPT export", record)
    assert _dialogue(conversation) == EXPECTED


def test_a_chatgpt_tree_that_runs_in_a_circle_ends() -> None:
    record = chatgpt_export(SAID)
    record["mapping"]["q1"]["parent"] = "a3"
    for node in (record["current_node"], None):
        [conversation], _ = _read("ChatGPT export", record | {"current_node": node})
        assert len(conversation.turns) <= len(record["mapping"])


def test_a_claude_export_that_names_its_leaf_is_read_along_that_branch() -> None:
    chat = [
        {"uuid": "1", "sender": "human", "text": "q", "parent_message_uuid": "0"},
        {"uuid": "2", "sender": "assistant", "text": "LEFT", "parent_message_uuid": "1"},
        {"uuid": "3", "sender": "assistant", "text": "r", "parent_message_uuid": "1"},
    ]
    [conversation], _ = _read("Claude export", {"chat_messages": chat, "current_leaf_message_uuid": "3"})
    assert [turn.text for turn in conversation.turns] == ["q", "r"]


def test_an_attachment_is_resolved_and_a_missing_one_is_told() -> None:
    whole = inspect_sample(SAID)
    [conversation], problems = _read("Inspect", whole)
    assert (conversation.replies[0].turn.text, problems) == (SAID[0][1], [])
    [conversation], problems = _read("Inspect", whole | {"attachments": {}})
    assert conversation.replies[0].turn.text == ""
    assert problems == ["an attachment that the sample does not hold: its text is left empty"]


def test_a_promptfoo_result_without_output_is_a_problem_and_plain_prompts_are_what_the_user_said() -> None:
    record = RECORDS["promptfoo"](SAID)
    failed = {k: v for k, v in record.items() if k != "response"} | {"error": "API error: 429"}
    assert _read("promptfoo", failed) == ([], ["no text: the provider gave no output"])
    plain = record | {"prompt": {"raw": "Say hello.", "label": ""}, "id": "r-9"}
    [conversation], _ = _read("promptfoo", plain)
    assert _dialogue(conversation) == [(Role.USER, "Say hello."), EXPECTED[-1]]
    assert conversation.id == "r-9"


def test_a_list_of_answers_is_not_taken_for_one_list_of_messages(tmp_path: Path) -> None:
    answers = [RECORDS["Anthropic messages"](SAID)["response"] | {"id": f"msg_{n}"} for n in range(3)]
    (tmp_path / "log.json").write_text(json.dumps(answers))
    found = list(LogFiles(names=[str(tmp_path / "log.json")]).read())
    assert [c.id for c in found if isinstance(c, Conversation)] == ["msg_0", "msg_1", "msg_2"]


@pytest.mark.parametrize("name", [known.name for known in known_formats() if known.fields])
def test_a_format_that_may_stand_in_a_table_names_every_field_that_it_looks_at(name: str) -> None:
    known = next(known for known in known_formats() if known.name == name)
    for make in (RECORDS[name], *VARIANTS.get(name, ())):
        record = make(SAID)
        cut = {key: value for key, value in record.items() if key in known.fields}
        assert known.matches(cut)
        assert _read(name, cut) == _read(name, record)
