import json
import sys
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from limen.core.conversation import Conversation
from limen.core.log_problems import LogProblem
from limen.errors import LogError
from limen.logs.reading import LogFiles
from log_samples import RECORDS, VARIANTS, a_dialogue, wildchat

TABULAR = ("WildChat", "LMSYS-Chat", "Chatbot Arena", "OpenAI messages", "ShareGPT", "limen.conversation/1")


def _parquet(path: Path, records: list[dict[str, Any]], **options: Any) -> Path:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(records), path, **options)
    return path


def _jsonl(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def _read(path: Path) -> list[Conversation | LogProblem]:
    return list(LogFiles(names=[str(path)]).read())


@pytest.mark.parametrize("name", TABULAR)
def test_parquet_rows_give_what_the_same_rows_as_json_lines_give(tmp_path: Path, name: str) -> None:
    for make in (RECORDS[name], *VARIANTS.get(name, ())):
        records = [make(a_dialogue(replies=1 + n % 3, words=9, seed=str(n))) for n in range(7)]
        table = _parquet(tmp_path / "log.parquet", records, row_group_size=3, compression="zstd")
        assert _read(table) == _read(_jsonl(tmp_path / "log.jsonl", records))


def test_nulls_empty_lists_and_columns_of_no_format_are_borne(tmp_path: Path) -> None:
    good = wildchat(a_dialogue(replies=1, words=5))
    records = [good, good | {"conversation": None}, good | {"conversation": []}, good | {"language": None}]
    items = _read(_parquet(tmp_path / "log.parquet", records))
    assert [type(item).__name__ for item in items] == ["Conversation", "LogProblem", "LogProblem", "Conversation"]
    assert [item.record for item in items if isinstance(item, LogProblem)] == ["row 2", "row 3"]
    with pytest.raises(LogError, match="of no known format"):
        _read(_parquet(tmp_path / "other.parquet", [{"x": 1, "y": [{"z": None}]}]))


def test_without_pyarrow_a_parquet_file_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = _parquet(tmp_path / "log.parquet", [wildchat(a_dialogue(replies=1, words=5))])
    for name in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(LogError) as caught:
        _read(path)
    assert str(caught.value) == (
        "log.parquet: a Parquet file, which needs pyarrow; install it with: pip install 'limen[parquet]'"
    )


def test_a_parquet_file_that_is_cut_or_damaged_is_an_error_in_one_line(tmp_path: Path) -> None:
    records = [wildchat(a_dialogue(replies=2, words=50, seed=str(n))) for n in range(20)]
    whole = _parquet(tmp_path / "log.parquet", records, row_group_size=5).read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LogError) as caught:
        _read(tmp_path / "cut.parquet")
    assert "the file breaks off or is damaged" in str(caught.value)
    assert "\n" not in str(caught.value)
    said = []
    for at in range(10, len(whole), len(whole) // 25):
        damaged = bytearray(whole)
        damaged[at] ^= 0xFF
        (tmp_path / "damaged.parquet").write_bytes(bytes(damaged))
        try:
            said += [item.reason for item in _read(tmp_path / "damaged.parquet") if isinstance(item, LogProblem)]
        except LogError as problem:
            said.append(str(problem))
    assert said
    assert not any("\n" in text for text in said)


def test_a_parquet_file_is_told_by_its_content(tmp_path: Path) -> None:
    path = _parquet(tmp_path / "log.json", [wildchat(a_dialogue(replies=1, words=5))])
    assert len(_read(path)) == 1
    files = LogFiles(names=[str(tmp_path)])
    assert len(list(files.read())) == 1
    assert len(files.sources[0].sha256) == 64
