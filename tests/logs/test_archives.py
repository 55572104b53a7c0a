import io
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.errors import LogError
from limen.logs import archives
from limen.logs.reading import LogFiles
from log_samples import a_dialogue, eval_file, inspect_header, inspect_sample, sample_file

SAID = a_dialogue(replies=3, words=12)


def _samples(count: int) -> list[dict[str, object]]:
    return [inspect_sample(SAID) | {"id": n} for n in range(1, count + 1)]


def _read(path: Path) -> tuple[list[Conversation], list[LogProblem]]:
    items = list(LogFiles(names=[str(path)]).read())
    return (
        [item for item in items if isinstance(item, Conversation)],
        [item for item in items if isinstance(item, LogProblem)],
    )


def _json_log(samples: list[dict[str, object]]) -> bytes:
    return json.dumps(inspect_header() | {"samples": samples}).encode()


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_an_eval_log_gives_what_the_json_log_gives(tmp_path: Path, compression: int) -> None:
    (tmp_path / "a.eval").write_bytes(eval_file(_samples(3), compression))
    (tmp_path / "a.json").write_bytes(_json_log(_samples(3)))
    conversations, problems = _read(tmp_path / "a.eval")
    assert problems == []
    assert conversations == _read(tmp_path / "a.json")[0]
    assert [c.id for c in conversations] == ["HkY4:1:1", "HkY4:2:1", "HkY4:3:1"]
    assert conversations[0].replies[0].turn.text == SAID[0][1]


def _with_zstandard(members: dict[str, bytes]) -> bytes:
    """Pack an archive as newer versions of Inspect do, which zipfile cannot before Python 3.14; in two frames each."""
    import pyarrow

    packed, directory = io.BytesIO(), io.BytesIO()
    for name, data in members.items():
        half = len(data) // 2
        parts = [data[:half], data[half:]] if half else [data]
        body = b"".join(pyarrow.compress(part, codec="zstd", asbytes=True) for part in parts)
        sizes = struct.pack("<LLL", zlib.crc32(data), len(body), len(data))
        common = struct.pack("<HHHHH", 20, 0, 93, 0, 0) + sizes + struct.pack("<HH", len(name), 0)
        directory.write(b"PK\x01\x02" + struct.pack("<H", 20) + common)
        directory.write(struct.pack("<HHHLL", 0, 0, 0, 0, packed.tell()) + name.encode())
        packed.write(b"PK\x03\x04" + common + name.encode() + body)
    at, size = packed.tell(), directory.tell()
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, len(members), len(members), size, at, 0)
    return packed.getvalue() + directory.getvalue() + end


def _zstandard_log() -> bytes:
    return _with_zstandard(
        {
            "samples/1_epoch_1.json": json.dumps(inspect_sample(SAID)).encode(),
            "header.json": json.dumps(inspect_header()).encode(),
        }
    )


def test_an_eval_log_packed_by_zstandard_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(_zstandard_log())
    conversations, problems = _read(tmp_path / "a.eval")
    assert problems == []
    assert [reply.turn.text for reply in conversations[0].replies] == [answer for _, answer in SAID]


def test_without_pyarrow_a_zstandard_log_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.eval").write_bytes(_zstandard_log())
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(LogError, match=r"pip install 'limen\[parquet\]'"):
        _read(tmp_path / "a.eval")


def test_a_log_that_is_still_being_written_has_its_header_in_the_journal(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.eval", "w") as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": inspect_header()["eval"]}))
        archive.writestr("samples/1_epoch_1.json", json.dumps(inspect_sample(SAID)))
    [conversation], _ = _read(tmp_path / "a.eval")
    assert conversation.model == "openai/gpt-4o"


def test_a_sample_with_nan_in_it_is_read(tmp_path: Path) -> None:
    sample = inspect_sample(SAID) | {"scores": {"match": {"value": float("nan")}}, "output": float("nan")}
    (tmp_path / "a.eval").write_bytes(eval_file([sample]))
    assert len(_read(tmp_path / "a.eval")[0]) == 1


def test_the_archive_of_an_export_is_read_as_it_was_downloaded(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("conversations.json", sample_file("ChatGPT export", SAID))
        archive.writestr("chat.html", "<html></html>")
        archive.writestr("more/log.jsonl", sample_file("WildChat", SAID) * 2)
        archive.writestr("user.json", '{"id": "u"}')
    conversations, problems = _read(tmp_path / "export.zip")
    assert [c.id for c in conversations] == ["8f3a2b1c", "0a1b2c3d4e5f", "0a1b2c3d4e5f"]
    assert [(p.record, p.reason) for p in problems] == [("user.json, object 1", "of no known format")]


def test_a_bad_sample_is_told_with_its_name_and_stops_nothing(tmp_path: Path) -> None:
    packed = io.BytesIO(eval_file(_samples(2)))
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("samples/3_epoch_1.json", "{broken")
        archive.writestr("samples/4_epoch_1.json", "[1]")
    (tmp_path / "a.eval").write_bytes(packed.getvalue())
    conversations, problems = _read(tmp_path / "a.eval")
    assert len(conversations) == 2
    assert [(p.record, p.reason) for p in problems] == [
        ("samples/3_epoch_1.json", "not a JSON object"),
        ("samples/4_epoch_1.json", "not a JSON object"),
    ]


def test_a_sample_in_pieces_is_told_once_and_how_to_mend_it(tmp_path: Path) -> None:
    packed = io.BytesIO(eval_file(_samples(1)))
    with zipfile.ZipFile(packed, "a") as archive:
        for name in ("sample.json", "skeleton.json", "messages/0.json", "events/0.json"):
            archive.writestr(f"samples/2_epoch_1/{name}", "{}")
    (tmp_path / "a.eval").write_bytes(packed.getvalue())
    conversations, problems = _read(tmp_path / "a.eval")
    assert len(conversations) == 1
    assert [p.record for p in problems] == ["samples/2_epoch_1/sample.json"]
    assert "inspect log convert" in problems[0].reason


def test_damage_in_an_archive_is_a_problem_or_an_error_in_one_line(tmp_path: Path) -> None:
    whole = eval_file(_samples(2))
    said = []
    for at in range(0, len(whole), 97):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        (tmp_path / "a.eval").write_bytes(bytes(damaged))
        try:
            said += [problem.reason for problem in _read(tmp_path / "a.eval")[1]]
        except LogError as problem:
            said.append(str(problem))
    assert said
    assert not any("\n" in text for text in said)
    (tmp_path / "a.eval").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LogError, match="the archive is damaged"):
        _read(tmp_path / "a.eval")


def test_a_sample_larger_than_the_bound_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_MEMBER", 20_000)
    large = inspect_sample(SAID) | {"id": 2, "x": "y" * 30_000}
    (tmp_path / "a.eval").write_bytes(eval_file([inspect_sample(SAID), large]))
    conversations, problems = _read(tmp_path / "a.eval")
    assert len(conversations) == 1
    assert "cannot be unpacked: it is larger than" in problems[0].reason


def test_an_archive_that_unpacks_to_far_more_than_it_is_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_ALWAYS_ALLOWED", 1_000_000)
    with zipfile.ZipFile(tmp_path / "bomb.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", b"0" * 50_000_000)
    with pytest.raises(LogError, match="more than 250 times is refused"):
        _read(tmp_path / "bomb.eval")


def test_an_archive_of_too_many_members_or_of_overlapping_ones_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.eval").write_bytes(eval_file(_samples(2)))
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    with pytest.raises(LogError, match="at most 3 are read"):
        _read(tmp_path / "a.eval")
    monkeypatch.undo()
    incompressible = bytes(zlib.crc32(bytes([n % 256, n // 256])) % 256 for n in range(20_000))
    one = _with_zstandard({"samples/1.json": incompressible})
    start, end = one.index(b"PK\x01\x02"), one.rindex(b"PK\x05\x06")
    entries = one[start:end] * 3  # three members that all claim the same bytes
    tail = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 3, 3, len(entries), start, 0)
    (tmp_path / "overlap.eval").write_bytes(one[:start] + entries + tail)
    with pytest.raises(LogError, match="overlap"):
        _read(tmp_path / "overlap.eval")


def test_in_a_folder_archives_without_logs_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.eval").write_bytes(eval_file(_samples(1)))
    with zipfile.ZipFile(tmp_path / "letter.docx", "w") as archive:
        archive.writestr("word/document.xml", "<xml/>")
    files = LogFiles(names=[str(tmp_path)])
    assert len(list(files.read())) == 1
    assert files.skipped == ["letter.docx"]
