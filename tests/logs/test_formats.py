"""The formats by small samples of our own making."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_conversation
from limen.core.conversation import Conversation, Role, without_void_drift
from limen.core.flags import SELF_REFERENCE
from limen.core.log_problems import LogProblem
from limen.logs.format import Origin, format_of, known_formats
from limen.logs.formats import canonical

Entry = dict[str, Any]


def _read(record: dict[str, Any], header: dict[str, Any] | None = None) -> tuple[list[Conversation], list[str]]:
    known = format_of(record)
    assert known is not None
    items = list(known.read(record, Origin(file="log.json", record="results[0]", header=header or {})))
    return (
        [item for item in items if isinstance(item, Conversation)],
        [item.reason for item in items if isinstance(item, LogProblem)],
    )


def _drifts(conversation: Conversation) -> list[tuple[str, float | None]]:
    return [(reply.turn.text, reply.turn.drift) for reply in conversation.replies]


def _control(replies: int = 3) -> list[Entry]:
    log: list[Entry] = [{"exchange": 0, "speaker": "subject", "role": "baseline", "content": "base"}]
    for n in range(1, replies + 1):
        log += [
            {"exchange": n, "speaker": "ziggy", "content": f"q{n}"},
            {"exchange": n, "speaker": "subject", "content": f"r{n}"},
        ]
    return [
        *log,
        {"exchange": "final", "speaker": "subject", "role": "final_snapshot", "content": "Error capturing final"},
    ]


def _treatment(replies: int = 4) -> list[Entry]:
    log: list[Entry] = [
        {"exchange": 0, "speaker": "ziggy", "content": "q0"},
        {"exchange": 0, "speaker": "subject", "role": "baseline", "content": "r1"},
    ]
    for n in range(1, replies + 1):
        log += [
            {"exchange": n, "speaker": "subject", "content": f"r{n}"},
            {"exchange": n, "speaker": "ziggy", "content": f"q{n}"},
        ]
    return log


def test_a_control_record_has_its_baseline_as_reference_and_no_number_for_the_final_snapshot() -> None:
    record = {
        "subject_id": "control_1",
        "arm": "control",
        "ship": "gpt-4o-mini",
        "drift_sequence": [0.1, 0.2, 0.3],
        "conversation_log": _control(),
    }
    [conversation], problems = _read(record, {"run": "020B"})
    assert (conversation.id, conversation.model, conversation.tags) == (
        "020B:control_1",
        "gpt-4o-mini",
        {"run": "020B", "arm": "control"},
    )
    assert _drifts(conversation) == [("r1", 0.1), ("r2", 0.2), ("r3", 0.3)]
    assert [turn.text for turn in conversation.turns if turn.is_reference] == ["base"]
    assert conversation.drift is not None
    assert (conversation.drift.metric, conversation.drift.high) == ("keyword-rms/s7", None)
    assert problems == []


def test_a_treatment_record_has_its_first_exchange_as_reference_which_is_logged_once() -> None:
    record = {
        "subject_id": "treatment_1",
        "arm": "treatment",
        "drift_sequence": [0.5, 0.6, 0.7],
        "conversation_log": _treatment(),
    }
    [conversation], _ = _read(record)
    assert _drifts(conversation) == [("r2", 0.5), ("r3", 0.6), ("r4", 0.7)]
    assert [turn.text for turn in conversation.turns].count("r1") == 1
    assert [turn.text for turn in conversation.turns if turn.is_reference] == ["r1"]


def _tribunal(replies: int, last_role: str = "defense") -> list[Entry]:
    log: list[Entry] = []
    for n in range(1, replies + 1):
        role = last_role if n == replies else "prosecutor"
        log += [
            {"speaker": "prosecutor_attorney", "role": "prosecutor", "content": f"q{n}"},
            {"speaker": "witness", "role": role, "content": f"w{n}"},
        ]
    return [*log, {"speaker": "judge", "role": "closing", "content": "closed"}]


def test_a_tribunal_record_has_its_first_five_replies_as_reference() -> None:
    record = {
        "subject_id": "t",
        "provider": "gpt-4o-mini",
        "drift_sequence": [0.0, 0.1, 0.2, 0.3, 0.4, 1.1],
        "conversation_log": _tribunal(6),
    }
    [conversation], _ = _read(record)
    assert _drifts(conversation)[0] == ("w1", 0.0)
    assert conversation.drift is not None
    assert conversation.drift.reference == "replies:1-5"
    flagged = [SELF_REFERENCE in reply.turn.flags for reply in without_void_drift(conversation).replies]
    assert flagged == [True] * 5 + [False]
    assert [turn.role for turn in conversation.turns[-1:]] == [Role.OTHER]


def test_a_tribunal_with_a_final_statement_too_many_leaves_the_last_but_one_without_drift() -> None:
    record = {"subject_id": "t", "drift_sequence": [0.0, 0.1, 0.9], "conversation_log": _tribunal(4, "final_statement")}
    [conversation], _ = _read(record)
    assert _drifts(conversation) == [("w1", 0.0), ("w2", 0.1), ("w4", 0.9)]


@pytest.mark.parametrize(
    ("log", "drifts"),
    [
        (_control(3), [0.1]),
        (_control(3), [0.1] * 9),
        (_treatment(4), [0.1]),
        (_tribunal(5), [0.1] * 3),
        (_tribunal(4), [0.1] * 3),
    ],
)
def test_where_no_rule_fits_the_text_is_taken_without_drift_and_that_is_said(
    log: list[Entry], drifts: list[float]
) -> None:
    [conversation], problems = _read({"subject_id": "x", "drift_sequence": drifts, "conversation_log": log})
    assert conversation.drift is None
    assert all(turn.drift is None for turn in conversation.turns)
    assert "fits no rule of alignment" in problems[0]


def test_a_treatment_whose_first_reply_is_not_its_baseline_fits_no_rule() -> None:
    log = _treatment(4)
    log[1]["content"] = "another text"
    [conversation], problems = _read({"subject_id": "x", "drift_sequence": [0.1] * 3, "conversation_log": log})
    assert conversation.drift is None
    assert problems


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({"subject_id": "x", "drift_sequence": [], "conversation_log": []}, "no text"),
        ({"subject_id": "x", "drift_sequence": [0.1]}, "no text"),
        ({"subject_id": "x", "drift_sequence": None, "conversation_log": _control()}, "drift_sequence is missing"),
        ({"subject_id": "x", "drift_sequence": [0.1, None, 0.2], "conversation_log": _control()}, "no drift"),
        ({"subject_id": "x", "drift_sequence": [0.1, -1, 0.2], "conversation_log": _control()}, "no drift"),
        ({"subject_id": "x", "drift_sequence": [0.1, float("nan"), 0.2], "conversation_log": _control()}, "no drift"),
    ],
)
def test_a_record_without_text_or_drift_is_a_problem(record: dict[str, Any], reason: str) -> None:
    _, problems = _read(record)
    assert any(reason in problem for problem in problems)


def _probes(baseline: str | None) -> dict[str, Any]:
    probes = [
        {"probe_id": n, "probe_type": "p", "drift": n / 10, "response_text": f"r{n}", "prompt_text": f"q{n}"}
        for n in range(3)
    ]
    return {"subject_id": "s", "probe_sequence": probes, "witness_provider": "xai"} | (
        {"baseline_text": baseline} if baseline else {}
    )


def test_a_probe_sequence_takes_its_baseline_text_as_reference_and_has_an_unknown_metric() -> None:
    [conversation], _ = _read(_probes("base"))
    assert _drifts(conversation) == [("r0", 0.0), ("r1", 0.1), ("r2", 0.2)]
    assert [turn.text for turn in conversation.turns if turn.is_reference] == ["base"]
    assert conversation.drift is not None
    assert conversation.drift.metric == "unknown"
    assert conversation.provider == "xai"


def test_a_probe_sequence_without_baseline_has_its_first_reply_as_reference() -> None:
    [conversation], _ = _read(_probes(None))
    cleaned = without_void_drift(conversation)
    assert [reply.number for reply in cleaned.replies] == [1, 2, 3]
    assert SELF_REFERENCE in cleaned.replies[0].turn.flags
    assert conversation.drift is not None
    assert conversation.drift.reference == "replies:1-1"


def test_every_phase_is_a_conversation() -> None:
    exchanges = [{"response_text": "r", "drift": 0.1}, {"response_text": "s", "drift": "high"}, {"drift": 0.3}]
    record = {
        "subject_id": "s",
        "phases": {"one": {"exchanges": exchanges}, "two": {"exchanges": exchanges[:1]}, "three": {}},
    }
    conversations, problems = _read(record)
    assert [c.id for c in conversations] == ["s:one", "s:two"]
    assert _drifts(conversations[0]) == [("r", 0.1), ("s", None)]
    assert sorted(problems) == [
        "a drift that is no number from 0 to 1,000,000: left out",
        "a phase without exchanges",
        "an exchange without response_text",
    ]


def test_openai_messages_with_text_parts_and_tool_calls() -> None:
    record = {
        "id": "chat-1",
        "model": "gpt-4o",
        "messages": [
            {"role": "system", "content": "be kind"},
            {"role": "user", "content": [{"type": "text", "text": "hello"}, {"type": "image_url", "image_url": {}}]},
            {"role": "assistant", "content": None, "tool_calls": []},
            {"role": "tool", "content": "42"},
            {"role": "assistant", "content": "hi"},
        ],
    }
    [conversation], _ = _read(record)
    assert [(turn.role, turn.text) for turn in conversation.turns] == [
        (Role.SYSTEM, "be kind"),
        (Role.USER, "hello"),
        (Role.OTHER, ""),
        (Role.OTHER, "42"),
        (Role.ASSISTANT, "hi"),
    ]
    assert (conversation.id, conversation.model) == ("chat-1", "gpt-4o")


def test_sharegpt_speakers() -> None:
    record = {
        "conversations": [
            {"from": "human", "value": "q"},
            {"from": "gpt", "value": "r"},
            {"from": "tool", "value": "t"},
        ]
    }
    [conversation], _ = _read(record)
    assert [turn.role for turn in conversation.turns] == [Role.USER, Role.ASSISTANT, Role.OTHER]
    assert conversation.id == "log.json#results[0]"


@pytest.mark.parametrize(
    "record", [{"messages": [{"role": "user", "content": "q"}]}, {"conversations": [{"from": "human", "value": "q"}]}]
)
def test_a_conversation_in_which_nobody_answers_is_a_problem(record: dict[str, Any]) -> None:
    conversations, problems = _read(record)
    assert conversations == []
    assert problems[0].startswith("no text")


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("limen.conversation/1", {"schema": "limen.conversation/1"}),
        ("run file", {"subject_id": "x", "drift_sequence": []}),
        ("probe sequence", _probes("b")),
        ("phases", {"phases": {"one": {"exchanges": []}}}),
        ("OpenAI messages", {"messages": [{"role": "user", "content": "q"}]}),
        ("ShareGPT", {"conversations": [{"from": "human", "value": "q"}]}),
    ],
)
def test_a_format_is_told_by_what_is_in_a_record_and_by_no_other_format(name: str, record: dict[str, Any]) -> None:
    assert [known.name for known in known_formats() if known.matches(record)] == [name]


def test_all_formats_are_known_by_being_there() -> None:
    assert len(known_formats()) == 15


_turn = st.fixed_dictionaries(
    {"i": st.integers(-1, 4), "role": st.sampled_from(["user", "assistant", "system"]), "text": st.text(max_size=3)},
    optional={
        "drift": st.none() | st.floats(-1, 2) | st.integers(0, 2),
        "is_reference": st.booleans(),
        "flags": st.just(["unnumbered"]),
        "more": st.integers(),
    },
)
_drift = st.fixed_dictionaries(
    {
        "metric": st.just("m"),
        "reference": st.sampled_from(["turn:1", "replies:1-2"]),
        "range": st.sampled_from([[0, None], [0, 1], [0.5, 1.5], [1, 0]]),
    }
)
_line = st.fixed_dictionaries(
    {"schema": st.just("limen.conversation/1"), "id": st.sampled_from(["c", ""]), "turns": st.lists(_turn, max_size=4)},
    optional={"drift": st.none() | _drift, "tags": st.just({"run": "1"}), "model": st.none() | st.just("x")},
)


@settings(max_examples=400, deadline=None)
@given(_line)
def test_the_short_cut_through_a_canonical_line_gives_what_the_long_way_gives(record: dict[str, Any]) -> None:
    short = canonical.FORMAT.decode
    assert short is not None
    found = short(json.dumps(record).encode())
    if found is not None:
        assert ([found], []) == _read(record)


def test_an_ordinary_canonical_line_takes_the_short_cut() -> None:
    assert canonical.FORMAT.decode is not None
    line = msgspec.json.encode(canonical.to_record(a_conversation()))
    assert canonical.FORMAT.decode(line) == a_conversation()
    assert canonical.FORMAT.decode(b'{"messages": []}') is None


def test_a_drift_outside_its_declared_range_is_a_problem_and_no_drift() -> None:
    record = msgspec.to_builtins(canonical.to_record(a_conversation((0.1, 1.4, 0.2, 2.5, 1.0000000001), high=1.0)))
    assert canonical.FORMAT.decode is not None
    assert canonical.FORMAT.decode(json.dumps(record).encode()) is None
    [conversation], problems = _read(record)
    assert [reply.turn.drift for reply in conversation.replies] == [0.1, None, 0.2, None, 1.0000000001]
    assert problems == ["a drift outside its declared range, 0 to 1: left out"] * 2


@pytest.mark.parametrize("declared", [[1, 0], [float("nan"), 1], [0, float("nan")], [0, float("inf")]])
def test_a_drift_range_that_is_none_is_a_problem(declared: list[float]) -> None:
    record = msgspec.to_builtins(canonical.to_record(a_conversation()))
    record["drift"]["range"] = declared
    conversations, problems = _read(record)
    assert conversations == []
    assert problems == ["a drift range is two numbers, the lower first, or null for no upper bound"]
