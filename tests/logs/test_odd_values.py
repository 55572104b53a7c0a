"""Numbers and characters that some program writes into JSON and that no other reads: none of them stops a run."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from builders import a_conversation
from commands import limen
from limen.core.conversation import Conversation
from limen.core.inventory import take_stock
from limen.core.log_problems import LogProblem
from limen.logs import documents
from limen.logs.formats.canonical import to_record
from limen.logs.reading import LogFiles
from limen.logs.transport import pack, unpack
from limen.logs.writing import as_lines
from limen.study.protocol_file import built_in_protocol
from log_samples import inspect_sample

HUGE = {
    "400 digits": "9" * 400,
    "5000 digits": "9" * 5000,
    "25 digits": "9" * 25,
    "-400 digits": "-" + "9" * 400,
    "1e306": "1e306",
    "1e400": "1e400",
    "NaN": "NaN",
    "-Infinity": "-Infinity",
}
_HERE = "put the number here"


def _good(id: str = "good") -> dict[str, Any]:
    return dict(json.loads(msgspec.json.encode(to_record(a_conversation(id=id)))))


def _canonical(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    record = _good("odd")
    change(record)
    return record


_EXCHANGES = [{"response_text": "one", "drift": 0.1}, {"response_text": "two", "drift": _HERE}]
_SAID = [("q", "a"), ("p", "b")]
_MESSAGES = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
_SUBJECT = [
    {"speaker": "subject", "role": "baseline", "content": "x"},
    {"speaker": "subject", "content": "y"},
    {"speaker": "subject", "content": "z"},
]
PLACES: dict[str, dict[str, Any]] = {
    "canonical drift": _canonical(lambda r: r["turns"][3].update(drift=_HERE)),
    "canonical i": _canonical(lambda r: r["turns"][-1].update(i=_HERE)),
    "canonical lower bound": _canonical(lambda r: r["drift"].update(range=[_HERE, None])),
    "canonical upper bound": _canonical(lambda r: r["drift"].update(range=[0, _HERE])),
    "canonical turn": _canonical(lambda r: r["drift"].update(reference=f"turn:{'9' * 5000}")),
    "canonical replies": _canonical(lambda r: r["drift"].update(reference=f"replies:1-{'9' * 5000}")),
    "run file": {"subject_id": "odd", "drift_sequence": [0.1, _HERE], "conversation_log": _SUBJECT},
    "probe sequence": {"id": "odd", "probe_sequence": _EXCHANGES},
    "phases": {"id": "odd", "phases": {"one": {"exchanges": _EXCHANGES}}},
    "id": {"id": _HERE, "messages": _MESSAGES},
    "a field that nobody reads": {"id": "odd", "messages": _MESSAGES, "created": _HERE},
}


def _read(path: Path) -> tuple[list[Conversation], list[LogProblem]]:
    items = list(LogFiles(names=[str(path)]).read())
    return (
        [item for item in items if isinstance(item, Conversation)],
        [item for item in items if isinstance(item, LogProblem)],
    )


def _can_be_used(path: Path) -> list[str]:
    """Do with a log what commands do with it; give the ids of its conversations."""
    conversations, problems = _read(path)
    items: list[Conversation | LogProblem] = [*conversations, *problems]
    assert list(unpack(pack(items))) == items
    assert as_lines(items).lines.count(b"\n") == len(conversations)
    stock = take_stock(items, built_in_protocol())
    assert all(recorded.observed.sentence() for recorded in stock.drift.values())
    return [conversation.id for conversation in conversations]


@pytest.mark.parametrize("number", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("place", PLACES)
def test_a_number_that_is_none_stops_nothing_wherever_it_stands(place: str, number: str, tmp_path: Path) -> None:
    odd = json.dumps(PLACES[place]).replace(f'"{_HERE}"', number)
    good = json.dumps(_good())
    (tmp_path / "lines.jsonl").write_text(f"{odd}\n{good}\n")
    (tmp_path / "document.json").write_text(f"[{odd}, {good}]")
    assert _can_be_used(tmp_path / "lines.jsonl")[-1] == "good"
    assert _can_be_used(tmp_path / "document.json")[-1] == "good"


@pytest.mark.parametrize("place", ["canonical drift", "run file", "probe sequence", "phases"])
@pytest.mark.parametrize("number", HUGE.values(), ids=HUGE)
def test_a_drift_that_is_none_is_a_counted_problem(place: str, number: str, tmp_path: Path) -> None:
    odd = json.dumps(PLACES[place]).replace(f'"{_HERE}"', number)
    (tmp_path / "log.jsonl").write_text(f"{odd}\n{json.dumps(_good())}\n")
    conversations, problems = _read(tmp_path / "log.jsonl")
    assert len(problems) == 1
    assert all(turn.drift is None or turn.drift <= 2 for conversation in conversations for turn in conversation.turns)


@pytest.mark.parametrize("number", ["9" * 400, "1e306"])
def test_commands_go_on_past_a_huge_drift(number: str, tmp_path: Path) -> None:
    odd = json.dumps(PLACES["probe sequence"]).replace(f'"{_HERE}"', number)
    canonical = json.dumps(PLACES["canonical drift"]).replace(f'"{_HERE}"', number)
    (tmp_path / "log.jsonl").write_text(f"{odd}\n{canonical}\n{json.dumps(_good())}\n")
    shown = limen("logs", "show", tmp_path / "log.jsonl", "--json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["problems"]


def _with_nan(records: list[dict[str, Any]]) -> str:
    records[1]["score"] = float("nan")
    return json.dumps(records)


def test_a_document_with_nan_gives_all_its_records_once(tmp_path: Path) -> None:
    text = _with_nan([_good(f"c{n}") for n in range(5)])
    (tmp_path / "log.json").write_text(text)
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    (tmp_path / "packed.json.gz").write_bytes(gzip.compress(text.encode()))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("export.json", text)
    (tmp_path / "export.zip").write_bytes(packed.getvalue())
    for name in ("log.json", "marked.json", "packed.json.gz", "export.zip"):
        conversations, problems = _read(tmp_path / name)
        assert [c.id for c in conversations] == ["c0", "c1", "c2", "c3", "c4"], name
        assert problems == []


def test_documents_that_follow_each_other_are_read_past_nan(tmp_path: Path) -> None:
    documents_of_three = "\n".join(json.dumps(_good(f"c{n}") | {"score": float("nan")}, indent=1) for n in range(3))
    (tmp_path / "log.json").write_text(documents_of_three)
    assert [c.id for c in _read(tmp_path / "log.json")[0]] == ["c0", "c1", "c2"]


def test_an_inspect_log_with_nan_before_its_samples_is_read(tmp_path: Path) -> None:
    log = {
        "version": 2,
        "eval": {"model": "openai/gpt-4o", "task": "talk", "eval_id": "e1"},
        "results": {"scores": [{"name": "match", "metrics": {"accuracy": {"value": float("nan")}}}]},
        "samples": [inspect_sample(_SAID), inspect_sample(_SAID) | {"id": 2}],
    }
    (tmp_path / "log.json").write_text(json.dumps(log))
    conversations, problems = _read(tmp_path / "log.json")
    assert len(conversations) == 2
    assert {c.model for c in conversations} == {"openai/gpt-4o"}
    assert problems == []


def test_one_line_with_nan_is_read_as_two_are(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text(json.dumps(_good() | {"score": float("nan")}) + "\n")
    assert [c.id for c in _read(tmp_path / "log.jsonl")[0]] == ["good"]


def test_of_a_document_too_large_to_be_decoded_whole_it_is_said_that_the_rest_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = _with_nan([_good(f"c{n}") for n in range(5)])
    monkeypatch.setattr(documents, "WHOLE_BYTES", len(text) - 1)
    (tmp_path / "log.json").write_text(text)
    conversations, [problem] = _read(tmp_path / "log.json")
    assert [c.id for c in conversations] == ["c0"]
    assert problem.record == "after record 1"
    assert "lost from there on" in problem.reason
    assert "JSON Lines" in problem.reason


@pytest.mark.parametrize("record", [_good("odd"), {"id": "odd", "messages": _MESSAGES}])
def test_half_a_pair_of_surrogates_is_read_as_no_known_character(record: dict[str, Any], tmp_path: Path) -> None:
    odd = json.dumps(record | {"topic": "half \ud800 and whole \U0001f600", "id": "od\ud800d"})
    (tmp_path / "lines.jsonl").write_text(f"{odd}\n{json.dumps(_good())}\n")
    assert _can_be_used(tmp_path / "lines.jsonl") == ["od\ufffdd", "good"]
    [conversation, _] = _read(tmp_path / "lines.jsonl")[0]
    assert conversation.topic in (None, "half \ufffd and whole \U0001f600")
