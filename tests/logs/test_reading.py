import gzip
import io
import json
import sys
import tempfile
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_conversation
from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.errors import LogError
from limen.logs.formats.canonical import to_record
from limen.logs.reading import LogFiles


def _line(id: str = "c1") -> bytes:
    import msgspec

    return msgspec.json.encode(to_record(a_conversation(id=id)))


def _read(*names: object) -> tuple[list[Conversation], list[LogProblem], LogFiles]:
    files = LogFiles(names=[str(name) for name in names])
    items = list(files.read())
    conversations = [item for item in items if isinstance(item, Conversation)]
    problems = [item for item in items if isinstance(item, LogProblem)]
    return conversations, problems, files


def test_a_canonical_conversation_comes_back_as_it_was_written(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(_line() + b"\n")
    conversations, problems, files = _read(tmp_path / "log.jsonl")
    assert conversations == [a_conversation()]
    assert problems == []
    assert [(s.name, s.conversations, s.problems, len(s.sha256)) for s in files.sources] == [("log.jsonl", 1, 0, 64)]


def test_a_bad_line_is_counted_with_its_place_and_stops_nothing(tmp_path: Path) -> None:
    lines = [
        _line("a"),
        b"{not json",
        b"\xff\xfe",
        b"42",
        _line("b"),
        b"",
        b'{"schema": "limen.conversation/9"}',
        b'{"x": 1}',
    ]
    (tmp_path / "log.jsonl").write_bytes(b"\n".join(lines))
    conversations, problems, _ = _read(tmp_path / "log.jsonl")
    assert [c.id for c in conversations] == ["a", "b"]
    assert [(p.record, p.reason) for p in problems] == [
        ("line 2", "not JSON"),
        ("line 3", "not JSON"),
        ("line 4", "not a JSON object"),
        ("line 7", "schema is not limen.conversation/1"),
        ("line 8", "of no known format"),
    ]


def test_a_bad_first_line_does_not_hide_that_the_file_has_lines(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b'{"cut off\n' + _line() + b"\n")
    conversations, problems, _ = _read(tmp_path / "log.jsonl")
    assert len(conversations) == 1
    assert [p.record for p in problems] == ["line 1"]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"   \n",
        b"hello",
        b"{}",
        b"[]",
        b"{",
        b"[1, 2",
        b'{"results": []}',
        b"null",
        b"\x00\x01\x02",
        b"\x1f\x8bbroken",
    ],
)
def test_a_file_of_which_nothing_can_be_read_is_an_error_in_one_line(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "log.json").write_bytes(content)
    with pytest.raises(LogError) as caught:
        _read(tmp_path / "log.json")
    assert str(caught.value).startswith("log.json: no conversation could be read")
    assert "\n" not in str(caught.value)


def test_folders_globs_gzip_and_documents_are_read_by_content(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "one.txt").write_bytes(_line("one") + b"\n")
    (tmp_path / "sub" / "two.log").write_bytes(gzip.compress(_line("two") + b"\n"))
    (tmp_path / "three.json").write_bytes(json.dumps([json.loads(_line("three"))], indent=1).encode())
    (tmp_path / "four.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(json.loads(_line("four")), indent=2).encode())
    (tmp_path / "five.json").write_bytes(b'{"made": 1, "conversations": [' + _line("five") + b'], "n": 1}')
    (tmp_path / "README.md").write_text("# not a log")
    (tmp_path / ".hidden.jsonl").write_bytes(_line("hidden"))
    conversations, problems, files = _read(tmp_path)
    assert sorted(c.id for c in conversations) == ["five", "four", "one", "three", "two"]
    assert problems == []
    assert files.skipped == ["README.md"]
    assert [s.name for s in files.sources] == ["five.json", "four.json", "one.txt", "sub/two.log", "three.json"]
    assert len(_read(tmp_path / "*.json")[0]) == 3
    assert len(_read(tmp_path, tmp_path / "one.txt")[0]) == 5


def test_standard_input_can_be_read_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(_line() + b"\n")))
    files = LogFiles(names=["-"])
    assert len(list(files.read())) == len(list(files.read())) == 1
    assert files.sources[0].name == "standard input"


def test_what_does_not_exist_is_told(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="no such file, folder or match"):
        _read(tmp_path / "nothing*")
    (tmp_path / "empty").mkdir()
    with pytest.raises(LogError, match="no log in this folder"):
        _read(tmp_path / "empty")


def test_a_file_that_cannot_be_opened_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(_line())
    files = LogFiles(names=[str(tmp_path / "log.jsonl")])
    assert files.total_bytes() > 0
    (tmp_path / "log.jsonl").unlink()
    with pytest.raises(LogError, match="cannot be read"):
        list(files.read())


def test_a_document_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    whole = json.dumps([json.loads(_line(f"c{n}")) for n in range(5)]).encode()
    (tmp_path / "log.json").write_bytes(whole[: len(whole) * 7 // 10])
    conversations, problems, _ = _read(tmp_path / "log.json")
    assert [c.id for c in conversations] == ["c0", "c1", "c2"]
    assert [p.record for p in problems] == ["after record 3"]


def test_a_gzip_that_breaks_off_keeps_what_came_before(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(_line(f"c{n}") + b"\n" for n in range(300)))
    (tmp_path / "log.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    conversations, problems, _ = _read(tmp_path / "log.jsonl.gz")
    assert conversations
    assert problems[-1].reason.startswith(("the file breaks off", "not JSON"))


def test_a_gzip_with_a_damaged_place_keeps_what_came_before(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"".join(_line(f"c{n}") + b"\n" for n in range(60))))
    packed[len(packed) // 2 : len(packed) // 2 + 40] = b"\xff" * 40
    (tmp_path / "log.jsonl.gz").write_bytes(packed)
    conversations, problems, _ = _read(tmp_path / "log.jsonl.gz")
    assert conversations
    assert problems


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "(it is empty)"),
        (b"\x1f\x8bbroken", "(the file breaks off or is damaged: "),
        (b"\x13\x05W\xe3 not text at all", "read: it is neither JSON, JSON Lines nor Parquet"),
        (b"hello\nthese are notes\n", "read: it is neither JSON, JSON Lines nor Parquet"),
        (b'[{"a": 1}, {"b"', "(of no known format)"),
    ],
)
def test_why_nothing_can_be_read_is_said_in_plain_words(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "log.json").write_bytes(content)
    with pytest.raises(LogError) as caught:
        _read(tmp_path / "log.json")
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


def test_nan_as_python_writes_it_is_no_drift(tmp_path: Path) -> None:
    record = json.loads(_line())
    record["turns"][3]["drift"] = float("nan")
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n" + _line("good").decode())
    conversations, problems, _ = _read(tmp_path / "log.jsonl")
    assert [c.id for c in conversations] == ["good"]
    assert "turns[3].drift" in problems[0].reason


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    peaks = {}
    for count in (20, 400):
        path = tmp_path / f"{count}.jsonl"
        path.write_bytes(b"".join(_line(f"c{n}") + b"\n" for n in range(count)))
        tracemalloc.start()
        for _ in LogFiles(names=[str(path)]).read():
            pass
        peaks[count] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (tmp_path / "400.jsonl").stat().st_size > 15 * (tmp_path / "20.jsonl").stat().st_size
    assert peaks[400] < 2.5 * peaks[20] + 2_000_000


def test_documents_that_follow_each_other_in_one_file_are_all_read(tmp_path: Path) -> None:
    documents = [json.dumps(json.loads(_line(f"c{n}")), indent=2) for n in range(4)]
    (tmp_path / "log.json").write_text("\n".join(documents) + "\nrubbish")
    conversations, problems, _ = _read(tmp_path / "log.json")
    assert [c.id for c in conversations] == ["c0", "c1", "c2", "c3"]
    assert len(problems) == 1


def test_a_bad_first_record_does_not_hide_the_others_of_its_list(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_bytes(b'{"results": [{"odd": 1}, ' + _line("good") + b"]}")
    conversations, problems, _ = _read(tmp_path / "log.json")
    assert [c.id for c in conversations] == ["good"]
    assert [(p.record, p.reason) for p in problems] == [("results[0]", "of no known format")]


def test_what_came_from_standard_input_is_not_left_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(_line() + b"\n")))
    with closing(LogFiles(names=["-"])) as files:
        assert len(list(files.read())) == 1
        assert len(list(tmp_path.iterdir())) == 1
    assert list(tmp_path.iterdir()) == []


def test_two_files_of_one_name_keep_their_conversations_apart(tmp_path: Path) -> None:
    record = json.dumps({"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "r"}]})
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "chat.jsonl").write_text(record + "\n")
    conversations, _, _ = _read(tmp_path / "a" / "chat.jsonl", tmp_path / "b" / "chat.jsonl")
    assert len({c.id for c in conversations}) == 2


def test_a_drift_without_a_name_is_of_an_unknown_metric(tmp_path: Path) -> None:
    record = json.loads(_line())
    del record["drift"]
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n")
    [conversation], _, _ = _read(tmp_path / "log.jsonl")
    assert conversation.drift is not None
    assert (conversation.drift.metric, conversation.drift.reference) == ("unknown", "turn:1")


def test_the_reference_that_a_record_names_is_taken_as_marked(tmp_path: Path) -> None:
    record = json.loads(_line())
    del record["turns"][1]["is_reference"]
    (tmp_path / "log.jsonl").write_text(json.dumps(record) + "\n")
    assert _read(tmp_path / "log.jsonl")[0] == [a_conversation()]


_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)),
    max_leaves=12,
)
_field = st.sampled_from(
    [
        "schema",
        "id",
        "turns",
        "messages",
        "conversations",
        "conversation_log",
        "drift_sequence",
        "probe_sequence",
        "phases",
        "subject_id",
        "results",
    ]
)
_record = st.dictionaries(_field, st.one_of(_json, st.just("limen.conversation/1")), max_size=6)


@settings(max_examples=300)
@given(records=st.lists(_record, max_size=4))
def test_no_record_however_odd_ends_in_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]]
) -> None:
    path = tmp_path_factory.mktemp("odd") / "log.jsonl"
    path.write_text("\n".join([*(json.dumps(record) for record in records), _line("good").decode()]))
    conversations, problems, _ = _read(path)
    assert conversations[-1].id == "good"
    assert len(conversations) + len(problems) >= len(records) + 1


@settings(max_examples=200)
@given(cut=st.integers(0, 3000), byte=st.integers(0, 255))
def test_no_damage_to_a_document_ends_in_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, cut: int, byte: int
) -> None:
    whole = bytearray(b'{"run": "x", "results": [' + _line("a")[:1400] + b"]}")
    whole[cut % len(whole)] = byte
    path = tmp_path_factory.mktemp("damaged") / "log.json"
    path.write_bytes(bytes(whole))
    with pytest.raises(LogError):
        _read(path)
