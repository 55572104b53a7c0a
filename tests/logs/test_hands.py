"""Many hands give what one pair of hands gives, to the byte and in the same order."""

import gzip
import hashlib
import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builders import a_conversation, s3
from limen.core.inventory import Inventory, take_stock
from limen.errors import LogError
from limen.logs import chunks
from limen.logs.chunks import Plan, read_chunk
from limen.logs.files import LogFile
from limen.logs.formats.canonical import to_record
from limen.logs.hands import Hands, hands_for
from limen.logs.reading import LogFiles
from limen.logs.transport import pack, unpack
from limen.logs.writing import as_lines
from log_samples import RECORDS, a_dialogue, eval_file, inspect_sample, lmsys_chat, sample_file

CHUNK = 20_000


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every format, in every packing, with problems between."""
    import msgspec

    folder = tmp_path_factory.mktemp("logs")
    for n, name in enumerate(RECORDS):
        (folder / f"{n:02d}.log").write_bytes(sample_file(name, a_dialogue(4, 30, name)))
    lines = [msgspec.json.encode(to_record(a_conversation(id=f"c{n}", words=12))) for n in range(60)]
    lines[7], lines[30] = b"{not json", b'{"messages": [{"role": "user", "content": "nobody answers"}]}'
    lines[45] = b'{"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "no id"}]}'
    (folder / "lines.jsonl").write_bytes(b"\n\n".join(lines))
    (folder / "lines.jsonl.gz").write_bytes(gzip.compress(b"\r\n".join(lines) + b"\n"))
    (folder / "samples.eval").write_bytes(eval_file([inspect_sample(a_dialogue(2, 9)) | {"id": n} for n in range(9)]))
    rows = [lmsys_chat(a_dialogue(2, 9, str(n))) | {"conversation_id": f"l{n}"} for n in range(25)]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "rows.parquet", row_group_size=4)
    return folder


def _files(logs: Path, hands: Hands | None = None) -> LogFiles:
    return LogFiles(names=[str(logs)], hands=hands)


def _lines(files: LogFiles) -> bytes:
    return b"".join(part.lines for part in files.each(as_lines))


def _stock(files: LogFiles) -> Inventory:
    whole = Inventory()
    for part in files.each(partial(take_stock, protocol=s3())):
        whole.add(part)
    return whole


def _same_as_alone(logs: Path, hands: Hands) -> None:
    alone, shared = _files(logs), _files(logs, hands)
    assert list(shared.read()) == list(alone.read())
    assert shared.sources == alone.sources
    assert _lines(shared) == _lines(alone)
    assert _stock(shared) == _stock(alone)


def test_processes_give_what_one_process_gives(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", CHUNK)
    with hands_for(0, workers=2) as hands:
        assert hands is not None
        _same_as_alone(logs, hands)


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A real scheduler with two workers, each a process of its own."""
    from distributed import LocalCluster

    cluster: object = LocalCluster  # it has no types
    with cluster(  # type: ignore[operator]
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", scheduler_port=0
    ) as running:
        yield str(running.scheduler_address)


@pytest.mark.filterwarnings("ignore")  # what Dask and its workers warn of is not ours
def test_the_workers_of_a_cluster_give_what_one_process_gives(
    logs: Path, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chunks, "CHUNK_BYTES", CHUNK)
    with hands_for(0, scheduler=scheduler) as hands:
        assert hands is not None
        _same_as_alone(logs, hands)


@pytest.mark.filterwarnings("ignore")  # what Dask and its workers warn of is not ours
def test_a_cluster_spreads_pairs_show_and_convert_to_the_same_bytes(logs: Path, scheduler: str, tmp_path: Path) -> None:
    from commands import limen

    assert limen("init", tmp_path / "s").code == 0
    metric = ("--metric", "lexical-char4", "--thresholds", "BASELINE=0.99,CATASTROPHIC=0.01")
    for name, options in (("alone", ("--workers", 1)), ("shared", ("--scheduler", scheduler))):
        done = limen("logs", "convert", logs, "--out", tmp_path / f"{name}.jsonl", *options)
        assert done.code == 0, done.err
        shown = limen("logs", "show", logs, "--json", *options)
        assert shown.code == 0, shown.err
        (tmp_path / f"{name}.json").write_text(shown.out)
        done = limen("pairs", logs, "--study", tmp_path / "s", *metric, *options, SOURCE_DATE_EPOCH="1767225600")
        assert done.code == 0, done.err
        made = (tmp_path / "s" / "stimuli" / "extreme_pairs.json").read_bytes()
        (tmp_path / f"{name}.pairs").write_bytes(made)
    for kind in ("jsonl", "json", "pairs"):
        assert (tmp_path / f"alone.{kind}").read_bytes() == (tmp_path / f"shared.{kind}").read_bytes()
    assert json.loads((tmp_path / "alone.json").read_text())["conversations"] > 100


def test_a_scheduler_that_is_not_there_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limen.logs.hands._CONNECT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as somebody_else:
        port = somebody_else.getsockname()[1]
        for address in ("tcp://127.0.0.1:9", "tcp://127.0.0.1:1x", "nonsense", f"tcp://127.0.0.1:{port}"):
            with pytest.raises(LogError, match="no Dask scheduler answers there") as caught:
                hands_for(0, scheduler=address).__enter__()
            assert "\n" not in str(caught.value)


def test_without_dask_a_scheduler_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(LogError, match=r"pip install 'limen\[cluster\]'"):
        hands_for(0, scheduler="tcp://x:1").__enter__()


def test_dask_and_pyarrow_are_imported_only_when_asked_for() -> None:
    code = (
        "import sys, limen.logs.reading, limen.logs.writing, limen.cli.main as main\n"
        "main.command_line(); print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not {"distributed", "dask", "pyarrow"} & set(done.stdout.split())


def test_small_logs_are_read_alone_and_large_ones_by_many() -> None:
    with hands_for(1000) as hands:
        assert hands is None
    with hands_for(1 << 40, workers=1) as hands:
        assert hands is None


def _die(_: object) -> None:
    import os

    os._exit(1)


def test_a_process_that_dies_is_told_in_one_line(logs: Path) -> None:
    def read() -> None:
        with hands_for(0, workers=2) as hands:
            list(_files(logs, hands).each(_die))

    with pytest.raises(LogError, match="ended unexpectedly"):
        read()


def test_a_file_that_a_worker_does_not_see_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(sample_file("WildChat", a_dialogue(1, 5)) * 2)
    [chunk] = Plan(LogFile("a.jsonl", tmp_path / "a.jsonl"))
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(LogError, match="must see the same files"):
        list(read_chunk(chunk))


def test_what_is_packed_comes_back(logs: Path) -> None:
    items = list(_files(logs).read())
    assert list(unpack(pack(items))) == items


@settings(max_examples=80, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 60), min_size=2, max_size=30),
    chunk=st.integers(1, 200),
    end=st.booleans(),
    packed=st.booleans(),
)
def test_chunks_cover_a_file_without_a_gap_and_number_its_lines(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], chunk: int, end: bool, packed: bool
) -> None:
    path = tmp_path_factory.mktemp("chunks") / "log"
    lines = [json.dumps({"pad": "x" * size}) if size else "" for size in [9, 9, *sizes]]
    data = "\n".join(lines).encode() + (b"\n" if end else b"")
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "CHUNK_BYTES", chunk)
        plan = Plan(LogFile("log", path))
        planned = list(plan)
        found = [problem.record for piece in planned for problem in read_chunk(piece)]  # type: ignore[union-attr]
    assert found == [f"line {n}" for n, line in enumerate(lines, 1) if line]
    assert plan.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    if not packed:
        assert [piece.start for piece in planned[1:]] == [piece.stop for piece in planned[:-1]]
        assert planned[-1].stop == len(data)


def test_a_line_that_is_too_long_is_one_problem_in_every_packing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("limen.logs.records.LONGEST_LINE", 5000)
    monkeypatch.setattr("limen.logs.chunks.LONGEST_LINE", 5000)
    monkeypatch.setattr(chunks, "CHUNK_BYTES", 700)
    short = sample_file("ShareGPT", a_dialogue(1, 5))
    data = short + b'{"x": "' + b"y" * 20_000 + b'"}\n' + short
    for name, content in (("plain", data), ("packed", gzip.compress(data))):
        (tmp_path / name).write_bytes(content)
        with closing(LogFiles(names=[str(tmp_path / name)])) as files:
            places = [getattr(item, "record", "a conversation") for item in files.read()]
        assert places == ["a conversation", "line 2", "a conversation"]
