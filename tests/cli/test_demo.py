"""`limen demo`: the whole study in one command; the same twice; up on a terminal until Ctrl-C."""

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from commands import ENVIRONMENT, limen
from limen.cli.demo import make_room
from limen.cli.main import run
from limen.study.folder import StudyFolder

FILES = ("raw_responses.csv", "summary_stats.csv", "analysis_report.md", "report.html", "analysis.json")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Give a demonstration that has run, and what it said."""
    folder = tmp_path_factory.mktemp("demo") / "out" / "demo"
    done = limen("demo", "--out", folder)
    assert (done.code, done.err) == (0, "")
    return folder, done.out.splitlines()


def test_without_a_terminal_it_ends_with_the_outcome_in_five_lines_and_the_paths(
    shown: tuple[Path, list[str]],
) -> None:
    folder, lines = shown
    assert lines[0].startswith("Simulated data: ")
    start = next(k for k, line in enumerate(lines) if line.startswith("Outcome "))
    assert [line.split()[0] for line in lines[start : start + 5]] == [
        "Outcome",
        "9",
        "BASELINE:",
        "CATASTROPHIC:",
        "companion",
    ]
    found = json.loads((folder / "results" / "analysis.json").read_text())["outcome"]
    assert found["reason_sentence"]
    assert lines[start].endswith(f": {found['title']}. {found['reason_sentence']}")
    assert lines[start + 5] == ""
    assert lines[start + 6 :] == [f"report   {folder}/results/report.html"] + [
        f"files    {folder}/results/{name}" for name in FILES[:3]
    ]
    assert "10 simulated raters took the survey over HTTP" in lines[3]
    assert "0 tried again, 0 failed" in lines[4]


def test_the_five_files_say_first_that_the_data_are_simulated(shown: tuple[Path, list[str]]) -> None:
    results = shown[0] / "results"
    assert all((results / name).stat().st_size > 0 for name in FILES)
    said = "Simulated data: these answers come from simulated raters, not from people."
    assert (results / "analysis_report.md").read_text().splitlines()[0] == f"> **{said}**"
    body = (results / "report.html").read_text().partition("<body>")[2]
    words = re.sub(r"<a class=\"skip\".*?</a>|<[^>]+>", "", body).strip()
    assert words.startswith(said)
    assert json.loads((results / "analysis.json").read_text())["study"]["mode"] == "simulated"
    assert {row.split(",")[7] for row in (results / "raw_responses.csv").read_text().splitlines()[1:]} == {"simulated"}


def test_on_a_terminal_it_stays_up_until_ctrl_c_and_two_runs_give_equal_files(
    shown: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder = tmp_path / "demo"
    mine, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "limen", "demo", "--out", folder],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=ENVIRONMENT,
    )
    os.close(theirs)
    try:
        said = _read_until(mine, "Ctrl-C ends it")
        assert "10/10" in said  # the bar
        (address,) = re.findall(r"take the survey yourself:\s+(\S+)", said)
        (researcher,) = re.findall(r"watch it as a researcher:\s+(\S+)", said)
        assert '"mode":"live"' in httpx.get(address).text
        assert "0</strong> of 10 raters have finished" in httpx.get(researcher).text
        busy = limen("demo", "--out", folder, "--no-serve")
        assert (busy.code, busy.err.count("\n"), "is being served" in busy.err) == (3, 1, True)
        process.send_signal(signal.SIGINT)
        said = _read_until(mine, "stopped; every answer that was acknowledged is stored")
        assert process.wait(30) == 0
        assert "Traceback" not in said
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(mine)
    _assert_equal_but_for_when_they_were_made(shown[0] / "results", folder / "results")


def test_a_folder_is_replaced_only_if_it_is_a_demonstration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out" / "demo"
    make_room(StudyFolder(folder))
    (folder / "results").mkdir()
    (folder / "results" / "report.html").write_text("old")
    make_room(StudyFolder(folder))
    assert [file.name for file in folder.iterdir()] == ["demo.txt"]
    (tmp_path / "empty").mkdir()
    make_room(StudyFolder(tmp_path / "empty"))

    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    (tmp_path / "link").symlink_to(folder)
    for taken in (mine, tmp_path / "link", mine / "thesis.txt"):
        with pytest.raises(SystemExit) as ended:
            run(["demo", "--out", str(taken), "--no-serve"])
        told = capsys.readouterr()
        assert (ended.value.code, told.err.count("\n"), told.out) == (2, 1, "")
        assert "--out DIR" in told.err
    assert (mine / "thesis.txt").read_text() == "years of work"
    assert (folder / "demo.txt").is_file()


def _read_until(terminal: int, wanted: str) -> str:
    said, until = "", time.monotonic() + 120
    while wanted not in said:
        assert time.monotonic() < until, said
        if select.select([terminal], [], [], 1)[0]:
            try:
                said += os.read(terminal, 65536).decode("utf-8", "replace")
            except OSError:  # the other side is closed
                break
    assert wanted in said, said
    return said


def _assert_equal_but_for_when_they_were_made(one: Path, other: Path) -> None:
    names = sorted(str(file.relative_to(one)) for file in one.rglob("*") if file.is_file())
    assert names == sorted(str(file.relative_to(other)) for file in other.rglob("*") if file.is_file())
    assert set(FILES) < set(names)
    for name in names:
        ours, theirs = (folder.joinpath(name).read_text("utf-8") for folder in (one, other))
        if name == "analysis.json":
            plain = [json.loads(text) for text in (ours, theirs)]
            for analysis in plain:
                del analysis["made"]["at"]
            assert plain[0] == plain[1]
            continue
        differing = [line for line, same in zip(ours.splitlines(), theirs.splitlines(), strict=True) if line != same]
        assert all(re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC", line) for line in differing), (name, differing)
        assert len(differing) <= (name in ("analysis_report.md", "report.html")), (name, differing)
