"""The command line, as a person types it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from limen import __version__


@dataclass
class Result:
    code: int
    out: str
    err: str


def limen(*arguments: object, cwd: Path | None = None, stdin: bytes | None = None) -> Result:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600", "COLUMNS": "200", "NO_COLOR": "1"}
    command = [sys.executable, "-c", "from limen.cli.main import run; run()", *(str(a) for a in arguments)]
    done = subprocess.run(command, capture_output=True, cwd=cwd, env=environment, input=stdin, check=False, timeout=60)
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli") / "s"
    assert limen("init", folder, "--example").code == 0
    assert limen("pairs", folder / "logs", "--study", folder).code == 0
    return folder


def test_the_example_goes_from_log_to_a_study_that_is_ready(study: Path) -> None:
    checked = limen("check", study)
    assert checked.code == 0, checked.out
    assert checked.out.splitlines()[0] == "S3_EXP_003: 20 of 20 pairs, 3 of 3 attention checks, 23 trials"
    assert checked.out.splitlines()[-1] == "ready"
    pairs = json.loads((study / "stimuli" / "extreme_pairs.json").read_text())
    assert len(pairs["pairs"]) == 20
    assert pairs["metadata"]["metric_standing"] == "protocol thresholds on Limen's lexicon"
    assert (study / "stimuli" / "extreme_pairs.md").is_file()
    assert (study / "stimuli" / "attention_checks.json").is_file()


def test_the_same_seed_gives_the_same_bytes(study: Path, tmp_path: Path) -> None:
    limen("init", tmp_path / "again", "--example")
    limen("pairs", tmp_path / "again" / "logs", "--study", tmp_path / "again")
    for name in ("extreme_pairs.json", "extreme_pairs.md", "attention_checks.json"):
        assert (tmp_path / "again" / "stimuli" / name).read_bytes() == (study / "stimuli" / name).read_bytes()


def test_another_seed_gives_another_set(study: Path, tmp_path: Path) -> None:
    limen("init", tmp_path / "other", "--example", "--seed", 7)
    limen("pairs", study / "logs", "--study", tmp_path / "other")
    other = (tmp_path / "other" / "stimuli" / "attention_checks.json").read_bytes()
    assert other != (study / "stimuli" / "attention_checks.json").read_bytes()


def test_findings_as_json_for_scripts(study: Path) -> None:
    found = json.loads(limen("check", study, "--json").out)
    assert found["ready"] is True
    assert {"severity", "subject", "text", "mend"} == set(found["findings"][0])


def test_an_incomplete_set_is_written_and_told(study: Path, tmp_path: Path) -> None:
    lines = (study / "logs" / "example.jsonl").read_bytes().splitlines()
    few = b"\n".join(line for line in lines if b'"provider":"xai"' not in line)
    limen("init", tmp_path / "few")
    made = limen("pairs", "-", "--study", tmp_path / "few", stdin=few)
    assert made.code == 0
    assert "incomplete; where candidates fell out:" in made.out
    next_step = f"next: limen check {tmp_path / 'few'}, which says how to fill or lower the empty slots"
    assert made.out.splitlines()[-1] == next_step
    meta = json.loads((tmp_path / "few" / "stimuli" / "extreme_pairs.json").read_text())["metadata"]
    assert meta["complete"] is False
    assert {"condition": "BASELINE", "provider": "xai", "wanted": 2, "found": 0} in meta["shortfalls"]
    assert limen("pairs", "-", "--study", tmp_path / "few", "--require-complete", stdin=few).code == 3
    checked = limen("check", tmp_path / "few")
    assert checked.code == 3
    assert "pairs missing: xai 0 of 2" in checked.out
    assert "quota = { anthropic = 2, openai = 2, google = 2, xai = 0, other = 2 }" in checked.out


def test_a_metric_that_cannot_reach_a_condition_writes_nothing(study: Path, tmp_path: Path) -> None:
    limen("init", tmp_path / "s")
    refused = limen("pairs", study / "logs", "--study", tmp_path / "s", "--metric", "lexical-char4")
    assert refused.code == 2
    assert "can never reach it (observed drift of" in refused.err
    assert not (tmp_path / "s" / "stimuli").exists()
    options = ("--metric", "lexical-char4", "--quantiles", "BASELINE=0.5,CATASTROPHIC=0.6")
    offered = limen("pairs", study / "logs", "--study", tmp_path / "s", *options)
    assert offered.code == 0
    assert "lexical-char4: not the protocol's condition" in offered.out
    options = ("--metric", "lexical-char4", "--thresholds", "BASELINE=0.55,CATASTROPHIC=0.6")
    assert limen("pairs", study / "logs", "--study", tmp_path / "s", *options).code == 0
    assert "not the protocol's condition" in limen("check", tmp_path / "s").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["foo"], "No such command 'foo'"),
        (["pairs"], "Missing argument 'LOG…'"),
        (["pairs", "x.jsonl"], "Missing option '--study'"),
        (["pairs", "nothing.jsonl", "--study", "STUDY"], "nothing.jsonl: no such file, folder or match"),
        (["pairs", "STUDY/logs", "--study", "nowhere"], "nowhere: no such folder; `limen init nowhere`"),
        (["check", "nowhere"], "nowhere: no such folder"),
        (["init", "STUDY"], "a study is there already"),
        (["init", "x", "--protocol", "S9"], "protocol 'S9' does not come with Limen"),
        (["init", "x", "--seed", "-1"], "--seed"),
        (
            ["pairs", "STUDY/logs", "--study", "STUDY", "--metric", "cosine"],
            "metric 'cosine': not recorded in these logs",
        ),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--thresholds", "BASELINE"], "NAME=NUMBER was expected"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--thresholds", "X=1"], "this study has BASELINE, CATASTROPHIC"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--thresholds", "BASELINE=low"], "'low' is no number"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--thresholds", "BASELINE=1-2"], "write one number"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--thresholds", "BASELINE=nan"], "'nan' is no number"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--thresholds", "BASELINE=.1,BASELINE=.2"], "is given twice"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--quantiles", "BASELINE=3"], "between 0 and 1"),
        (["pairs", "STUDY/logs", "--study", "STUDY", "--providers", "none.csv"], "none.csv: cannot be read"),
    ],
)
def test_bad_input_is_told_in_one_line_with_exit_code_2(
    study: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = limen(*(argument.replace("STUDY", str(study)) for argument in arguments), cwd=tmp_path)
    assert result.code == 2
    assert message in result.err
    assert result.err.startswith("limen: ")
    assert result.err.count("\n") == 1
    assert "Traceback" not in result.err
    assert list(tmp_path.iterdir()) == []


def test_a_study_folder_without_pairs_says_how_to_make_them(tmp_path: Path) -> None:
    limen("init", tmp_path / "s")
    result = limen("check", tmp_path / "s")
    assert result.code == 3
    assert "`limen pairs LOG… --study" in result.err


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    assert "Traceback" in limen("--debug", "check", tmp_path / "none").err


def test_version_and_help() -> None:
    assert limen("--version").out == f"limen {__version__}\n"
    shown = limen("--help").out
    assert all(command in shown for command in ("init", "pairs", "check"))
    assert limen("pairs", "--help").code == 0


def test_a_command_imports_no_other() -> None:
    code = (
        "import sys\nfrom limen.cli.main import _exit_code\n_exit_code(['--debug', 'status', '--help'])\n"
        "print('limen.cli.status' in sys.modules, 'limen.cli.analyze' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().splitlines()[-1] == "True False"


def test_help_imports_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "msgspec", "ijson", "matplotlib", "sqlalchemy", "starlette")
    code = (
        "import sys\nfrom limen.cli.main import _exit_code\n_exit_code(['--help'])\n"
        f"print(sorted(set(sys.modules) & set({heavy!r})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stdout.decode().splitlines()[-1] == "[]"
