"""`limen drift`, as a person types it."""

import gzip
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Done
from embedding_server import Reply, an_embedding_server
from limen.cli.main import run
from limen.demo.example import example_log
from limen.logs.reading import LogFiles

WORDLLAMA = "cosine/wordllama/l2_supercat-256"
Command = Callable[..., Done]


@pytest.fixture
def limen(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Run a command in this process, in a folder with the example log."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    Path("example.jsonl").write_bytes(example_log())
    Path("taken").write_text("")

    def command(*arguments: object) -> Done:
        with pytest.raises(SystemExit) as left:
            run([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Done(int(left.value.code or 0), said.out, said.err)

    return command


def test_drift_is_measured_shown_by_turn_and_written(limen: Command) -> None:
    done = limen("drift", "measure", "example.jsonl", "--metric", WORDLLAMA, "--out", "measured.jsonl")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "read 54 conversations from 1 file"
    assert f"{WORDLLAMA}: observed drift of 297 replies: " in done.out
    assert lines[5].split()[:4] == ["reply", "n", "lowest", "quartile"]
    assert [line.split()[0] for line in lines[6:15]] == [str(n) for n in range(1, 10)]
    assert sum(int(line.rsplit(None, 1)[1]) for line in lines[15:-1]) == 297
    assert lines[-1] == "wrote measured.jsonl"
    measured = [json.loads(line) for line in Path("measured.jsonl").read_text().splitlines()]
    assert {record["drift"]["metric"] for record in measured} == {WORDLLAMA}
    assert measured[0]["drift"] | {"reference": ""} == {
        "metric": WORDLLAMA,
        "reference": "",
        "range": [0.0, 2.0],
        "source": "computed",
    }


def test_what_was_written_reads_back_as_it_was_measured(limen: Command) -> None:
    limen("drift", "measure", "example.jsonl", "--metric", "lexical-char4", "--out", "one.jsonl")
    limen("drift", "measure", "one.jsonl", "--metric", "lexical-char4", "--out", "two.jsonl.gz")
    assert gzip.decompress(Path("two.jsonl.gz").read_bytes()) == Path("one.jsonl").read_bytes()
    found = limen("drift", "compare", "one.jsonl", "--metrics", "lexical-char4", "--json")
    agreement = json.loads(found.out)["agreements"][0]
    assert agreement["other"] == "lexical-char4 (recorded)"
    assert agreement["spearman"] == pytest.approx(1.0)
    assert sum(1 for _ in LogFiles(names=["two.jsonl.gz"]).read()) == 54


def test_without_out_nothing_is_written(limen: Command, tmp_path: Path) -> None:
    done = limen("drift", "measure", "example.jsonl", "--metric", "lexical-char4")
    assert done.out.splitlines()[-1] == "nothing written; --out FILE writes the logs with drift"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["example.jsonl", "taken"]


def test_the_log_can_go_to_standard_output(limen: Command) -> None:
    done = limen("drift", "measure", "example.jsonl", "--metric", "lexical-char4", "--out", "-")
    assert [json.loads(line)["schema"] for line in done.out.splitlines()] == ["limen.conversation/1"] * 54
    assert "observed drift of 297 replies" in done.err


def test_measuring_as_json(limen: Command) -> None:
    found = json.loads(limen("drift", "measure", "example.jsonl", "--metric", "lexical-char4", "--json").out)
    assert (found["metric"], found["version"], found["range"]) == ("lexical-char4", "1", [0.0, 1.0])
    assert (found["conversations"], found["observed"]["n"], found["problems"]["total"]) == (54, 297, 3)
    assert sum(one["n"] for one in found["by_reply"].values()) == 297


def test_an_endpoint_gets_each_text_once_in_batches_and_a_second_run_sends_nothing(limen: Command) -> None:
    with an_embedding_server() as server:
        arguments = ("drift", "measure", "example.jsonl", "--metric", "cosine/endpoint/m", "--endpoint", server.address)
        first = limen(*arguments, "--out", "a.jsonl")
        assert first.code == 0, first.err
        texts = server.texts
        assert len(texts) == len(set(texts)) == 351
        assert len(server.asked) < 12
        assert f"cosine/endpoint/m: 351 texts sent to {server.host}" in first.out
        again = limen(*arguments, "--out", "b.jsonl")
        assert server.texts == texts
        assert "nothing sent" in again.out
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()


def test_no_endpoint_is_asked_that_the_command_line_does_not_name(
    limen: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIMEN_EMBEDDINGS_KEY", "sk-secret")
    done = limen("drift", "measure", "example.jsonl", "--metric", "cosine/endpoint/m")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "limen: cosine/endpoint/m sends every text away, so its address has to be named: --endpoint https://host/v1\n"
    )


def test_pairs_can_be_chosen_by_an_endpoints_metric_and_recorded_ones_ask_nobody(limen: Command) -> None:
    limen("init", "study", "--example")
    bounds = ("--quantiles", "BASELINE=0.5,CATASTROPHIC=0.5")
    with an_embedding_server() as server:
        address = ("--endpoint", server.address)
        metric = ("--metric", "cosine/endpoint/m")
        limen("drift", "measure", "study/logs", *metric, *address, "--out", "measured.jsonl")
        sent = len(server.texts)
        done = limen("pairs", "study/logs", "--study", "study", *metric, *address, *bounds)
        assert "cosine/endpoint/m: not the protocol's condition" in done.out
        excerpts = server.texts[sent:]
        assert all(len(text.split()) <= 300 for text in excerpts)
        asked = len(server.asked)
        recorded = limen("pairs", "measured.jsonl", "--study", "study", *bounds)
        assert "cosine/endpoint/m: not the protocol's condition" in recorded.out
        assert len(server.asked) == asked


def test_an_interrupted_run_leaves_no_file_and_goes_on_from_its_cache(tmp_path: Path) -> None:
    log = tmp_path / "example.jsonl"
    log.write_bytes(example_log())
    waiting, go_on = threading.Event(), threading.Event()

    def hold(texts: list[str]) -> Reply | None:
        waiting.set()
        go_on.wait(60)
        return None

    with an_embedding_server(lambda texts: None, lambda texts: None, hold) as server:
        arguments = ["drift", "measure", str(log), "--metric", "cosine/endpoint/m", "--endpoint", server.address]
        command = [sys.executable, "-m", "limen", *arguments, "--out", str(tmp_path / "out.jsonl")]
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
        with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
            assert waiting.wait(60)
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
        go_on.set()
        assert process.returncode == 130
        assert said == "limen: interrupted; the vectors of 128 texts are kept; run the command again to go on\n"
        assert not [path for path in tmp_path.iterdir() if "out" in path.name]
        known = {text for batch in server.asked[:2] for text in batch}
        before = len(server.asked)
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert done.returncode == 0, done.stderr
        later = {text for batch in server.asked[before:] for text in batch}
        assert not later & known
        assert len(later | known) == 351
    assert (tmp_path / "out.jsonl").is_file()


def test_metrics_are_compared_with_a_figure(limen: Command) -> None:
    metrics = f"keyword-rms/limen-1,lexical-char4,{WORDLLAMA}"
    done = limen("drift", "compare", "example.jsonl", "--metrics", metrics, "--figure", "compared.svg")
    assert (done.code, done.err) == (0, "")
    assert "D  keyword-rms/limen-1 (recorded)" in done.out
    assert "bounds of A, D: the study's thresholds" in done.out
    assert "bounds of B, C: as many replies in each condition as by keyword-rms/limen-1" in done.out
    rows = {tuple(line.split()[:3]): line.split() for line in done.out.splitlines()}
    assert rows["A", "and", "D"][3:5] == ["297", "1.000"]
    assert Path("compared.svg").read_text().startswith("<svg xmlns")


def test_quantiles_can_be_asked_for(limen: Command) -> None:
    quantiles = ("--quantiles", "BASELINE=0.25,CATASTROPHIC=0.9")
    done = limen("drift", "compare", "example.jsonl", "--metrics", "lexical-char4", *quantiles, "--json")
    by_metric = {one["metric"]: one for one in json.loads(done.out)["metrics"]}
    assert by_metric["lexical-char4"]["bounds_from"] == "at quantiles of its own"
    assert by_metric["lexical-char4"]["conditions"]["CATASTROPHIC"]["replies"] == 30


def test_a_metric_without_anything_beside_it_is_told(limen: Command) -> None:
    Path("plain.jsonl").write_text(
        json.dumps({"messages": [{"role": r, "content": f"text {n}"} for n, r in enumerate(["user", "assistant"] * 3)]})
    )
    done = limen("drift", "compare", "plain.jsonl", "--metrics", "lexical-char4")
    assert done.code == 0
    assert "one metric and no recorded drift: nothing to compare it with" in done.out
    figure = limen("drift", "compare", "plain.jsonl", "--metrics", "lexical-char4", "--figure", "x.svg")
    assert figure.code == 2
    assert "--figure" in figure.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", "example.jsonl", "--metric", "nope"], "metric 'nope' cannot be computed here"),
        (["measure", "example.jsonl", "--metric", "recorded"], "cosine/endpoint/MODEL (with --endpoint)\n"),
        (["compare", "example.jsonl", "--metrics", "recorded"], "cosine/endpoint/MODEL (with --endpoint)\n"),
        (["measure", "example.jsonl", "--metric", "lexical-char4", "--out", "example.jsonl"], "among the logs"),
        (["measure", "*.jsonl", "--metric", "lexical-char4", "--out", "example.jsonl"], "among the logs"),
        (["measure", ".", "--metric", "lexical-char4", "--out", "new.jsonl"], "among the logs"),
        (["measure", "nowhere.jsonl", "--metric", "lexical-char4"], "no such file"),
        (["measure", "example.jsonl", "--metric", "lexical-char4", "--out", "taken/x"], "cannot be written"),
        (["measure", "example.jsonl"], "Missing option '--metric'"),
        (["measure", "example.jsonl", "--metric", "cosine/endpoint/m", "--endpoint", "host"], "https://host/v1"),
        (["compare", "example.jsonl", "--metrics", ","], "at least one name"),
        (["compare", "example.jsonl", "--metrics", "lexical-char4", "--quantiles", "X=1"], "no such condition"),
        (["compare", "example.jsonl", "--metrics", "lexical-char4", "--study", "none"], "no such folder"),
    ],
)
def test_bad_input_is_told_in_one_line(limen: Command, arguments: list[str], message: str) -> None:
    done = limen("drift", *arguments)
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1
