"""`limen logs` and `limen pairs` on a sample of every format."""

import gzip
import json
from pathlib import Path

import pytest

from commands import limen
from log_samples import RECORDS, a_dialogue, eval_file, inspect_sample, sample_file

REPLIES = 5


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("samples")
    for n, name in enumerate(RECORDS):
        (folder / f"{n:02d}").write_bytes(sample_file(name, a_dialogue(REPLIES, 230, name)))
    (folder / "log.eval").write_bytes(eval_file([inspect_sample(a_dialogue(REPLIES, 230, "eval")) | {"id": "e"}]))
    return folder


def test_a_sample_of_every_format_is_shown(samples: Path) -> None:
    shown = limen("logs", "show", samples, "--json")
    assert shown.code == 0, shown.err
    found = json.loads(shown.out)
    assert [file["problems"] for file in found["files"]] == [0] * (len(RECORDS) + 1)
    assert found["conversations"] == len(RECORDS) + 2  # an arena row has two
    assert found["replies"] == REPLIES * found["conversations"]
    assert found["words"] == found["replies"] * 230 + REPLIES  # "Well." on the second side
    assert {"anthropic", "openai", "google", "xai"} <= found["providers"].keys()
    assert found["languages"]["English"]["conversations"] == 4
    assert found["languages"]["Portuguese"]["conversations"] == 1
    assert sorted(found["drift"]) == ["keyword-rms/s7", "unknown"]
    assert found["drift"]["keyword-rms/s7"] == {
        "conversations": 1,
        "n": 5,
        "min": 0.1,
        "q25": 0.2,
        "median": 0.3,
        "q75": 0.4,
        "max": 0.5,
    }
    table = limen("logs", "show", samples)
    assert table.out.startswith(f"{found['conversations']} conversations in {len(RECORDS) + 1} files: ")
    for name in ("claude-3-7-sonnet-20250219", "gemini-2.5-flash", "Portuguese", "keyword-rms/s7"):
        assert name in table.out


@pytest.mark.parametrize("name", RECORDS)
def test_pairs_can_be_chosen_from_a_sample_of_every_format(name: str, tmp_path: Path) -> None:
    from builders import metrics, s3
    from limen.core.protocol import DriftRange
    from limen.logs.reading import LogFiles
    from limen.workflow.preparation import PrepareOptions
    from limen.workflow.prepare import prepare_pairs

    (tmp_path / "log").write_bytes(sample_file(name, a_dialogue(REPLIES, 230, name)))
    everything = {"BASELINE": DriftRange(below=1.0), "CATASTROPHIC": DriftRange(above=0.0)}
    names = ("8f3a2b1c", "33f01939a744455c869cb234afca47f1")
    options = PrepareOptions(metric="lexical-char4", thresholds=everything, providers=dict.fromkeys(names, "other"))
    made = prepare_pairs(s3(), LogFiles(names=[str(tmp_path / "log")]), metrics(), options)
    assert [(source.name, source.problems) for source in made.sources] == [("log", 0)]
    assert [stimulus.pair.provider for stimulus in made.stimuli.stimuli]
    assert made.without_provider <= 1  # koala-13b, on the second side of the arena


def test_pairs_takes_all_formats_together(samples: Path, tmp_path: Path) -> None:
    assert limen("init", tmp_path / "s").code == 0
    thresholds = ("--metric", "lexical-char4", "--thresholds", "BASELINE=0.999,CATASTROPHIC=0.001")
    done = limen("pairs", samples, "--study", tmp_path / "s", *thresholds)
    assert done.code == 0, done.err
    meta = json.loads((tmp_path / "s" / "stimuli" / "extreme_pairs.json").read_text())
    assert len(meta["metadata"]["source_files"]) == len(RECORDS) + 1
    assert all(source["conversations"] for source in meta["metadata"]["source_files"])
    assert meta["pairs"]


def test_a_converted_log_is_canonical_and_holds_the_same(samples: Path, tmp_path: Path) -> None:
    for name in ("all.jsonl", "all.jsonl.gz"):
        done = limen("logs", "convert", samples, "--out", tmp_path / name)
        assert done.code == 0, done.err
        assert f"wrote {len(RECORDS) + 2} conversations to" in done.err
    plain = (tmp_path / "all.jsonl").read_bytes()
    assert gzip.decompress((tmp_path / "all.jsonl.gz").read_bytes()) == plain
    lines = plain.decode().splitlines()
    assert {json.loads(line)["schema"] for line in lines} == {"limen.conversation/1"}
    again = limen("logs", "convert", tmp_path / "all.jsonl", "--out", "-")
    assert again.out.encode() == plain
    before = json.loads(limen("logs", "show", samples, "--json").out)
    after = json.loads(limen("logs", "show", tmp_path / "all.jsonl", "--json").out)
    for what in ("conversations", "replies", "words", "models", "providers", "languages", "drift"):
        assert before[what] == after[what]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "all.jsonl.gz"]


def test_what_cannot_be_read_or_written_is_told_in_one_line(samples: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no log")
    (tmp_path / "cut.eval").write_bytes(eval_file([inspect_sample(a_dialogue(1, 9))])[:300])
    (tmp_path / "taken").write_text("")
    for arguments in (
        ("show", tmp_path / "notes"),
        ("show", tmp_path / "nothing"),
        ("show", tmp_path / "cut.eval"),
        ("show",),
        ("show", samples, "--workers", "0"),
        ("show", samples, "--scheduler", "tcp://127.0.0.1:1x"),
        ("convert", tmp_path / "notes", "--out", tmp_path / "out.jsonl"),
        ("convert", samples, "--out", tmp_path / "taken" / "out.jsonl"),
        ("convert", samples),
    ):
        done = limen("logs", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert done.err.startswith("limen: ")
        assert done.err.count("\n") == 1, done.err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cut.eval", "notes", "taken"]


def test_a_log_is_not_converted_over_itself_or_into_what_is_read_the_next_time(samples: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    own = folder / "own.jsonl"
    own.write_bytes((samples / "00").read_bytes())
    before = own.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(own)
    for log, out in (
        (own, own),
        (own, folder / ".." / "logs" / "own.jsonl"),
        (tmp_path / "link.jsonl", own),
        (folder, folder / "new.jsonl"),
        (folder, folder / "deep" / "new.jsonl"),
        (folder / "*.jsonl", own),
        (folder / "*.jsonl", folder / "new.jsonl"),
        (tmp_path / "**", folder / "new.jsonl"),
        (tmp_path / "**" / "*.jsonl", folder / "new.jsonl"),
    ):
        done = limen("logs", "convert", log, "--out", out)
        assert (done.code, done.out) == (2, ""), (log, out)
        assert "lies among the logs that are read" in done.err
        assert sorted(path.name for path in folder.iterdir()) == ["own.jsonl"]
        assert own.read_bytes() == before
    done = limen("logs", "convert", folder / "*.jsonl", "--out", folder / "new.jsonl.gz")
    assert done.code == 0, done.err
