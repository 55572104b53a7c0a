"""`limen simulate` as a person uses it: on a running server, on its own, straight, and when something is missing."""

import shutil
from pathlib import Path

import httpx
import pytest

from commands import a_server, limen
from limen.cli.main import run
from limen.core.sessions import Mode
from limen.storage.store import read_store
from limen.workflow.ports import Reading


@pytest.fixture
def study(example_study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example_study, tmp_path / "study"))


def numbers(study: Path, mode: Mode) -> list[int]:
    def ask(reading: Reading) -> list[int]:
        return [session.number for session in reading.sessions(mode) if session.finished]

    return read_store(f"sqlite:///{study / 'answers.sqlite'}", ask) or []


def ended(arguments: list[str]) -> object:
    """Run a command in this process, which spares its start; give its exit code."""
    with pytest.raises(SystemExit) as left:
        run(arguments)
    return left.value.code


def test_raters_find_the_server_that_serves_the_folder(study: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with a_server(study) as server:
        assert ended(["simulate", str(study), "--raters", "3", "--character", "perceptive:2,careless:1"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "simulated raters: 2 perceptive, 1 careless"
        assert lines[1] == f"on the server at {server.participants}"
        assert lines[2] == "3 simulated raters took the survey over HTTP"
        assert "0 tried again, 0 failed" in lines[3]
        assert lines[4] == f"next: limen analyze {study} --mode simulated"
        assert ended(["simulate", str(study), "--raters", "1", "--url", f"{server.participants}/"]) == 0
        capsys.readouterr()
        assert ended(["status", str(study)]) == 0
        assert capsys.readouterr().out.startswith("S3_EXP_003: 0 of 10 raters have finished")
        assert httpx.get(f"{server.participants}/simulated").status_code == 404
        (study / "researcher.key").write_text("y" * 30)
        assert ended(["simulate", str(study), "--raters", "1"]) == 2
        refused = capsys.readouterr().err
        assert (refused.count("\n"), "researcher.key" in refused) == (1, True)
        assert server.terminate() == 0
    assert not (study / "server.address").exists()
    assert numbers(study, Mode.SIMULATED) == [1, 2, 3, 4]
    assert numbers(study, Mode.LIVE) == []


def test_without_a_server_one_is_started_and_straight_needs_none(
    study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = ("--page-file", study / "page.html")
    (study / "server.address").write_text("http://127.0.0.1:1\n")  # of a server that was killed
    own = limen("simulate", study, "--raters", 2, *page)
    assert own.code == 0, own.err
    assert f"no server runs for {study}: one was started for these raters" in own.out
    straight = ["--raters", "2", "--straight", "--character", "blind", "--d-prime", "3"]
    assert ended(["simulate", str(study), *straight]) == 0
    assert "stored 2 simulated raters, without a server" in capsys.readouterr().out
    assert numbers(study, Mode.SIMULATED) == [1, 2, 3, 4]
    assert ended(["analyze", str(study), "--mode", "simulated"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "simulated answers: not a result of the study"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--character", "nobody"), 2, "there are perceptive, blind, yes-sayer, careless, mixed"),
        (("--straight", "--url", "http://127.0.0.1:1"), 2, "leave out --url"),
        (("--straight", "--browser"), 2, "leave out --straight"),
        (("--url", "nonsense"), 3, "researcher.key"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_line(
    example_study: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], code: int, said: str
) -> None:
    assert ended(["simulate", str(example_study), "--raters", "1", *options]) == code
    told = capsys.readouterr()
    assert (told.err.count("\n"), told.out) == (1, "")
    assert said in told.err


def test_a_browser_that_is_missing_is_told_in_one_line(study: Path, tmp_path: Path) -> None:
    page = ("--page-file", study / "page.html")
    empty = tmp_path / "empty"
    empty.mkdir()
    no_browser = limen("simulate", study, "--raters", 1, "--browser", *page, PATH=str(empty))
    assert (no_browser.code, no_browser.err.count("\n")) == (3, 1)
    assert "LIMEN_CHROMIUM" in no_browser.err
    (empty / "playwright.py").write_text("raise ImportError('not installed')\n")
    no_playwright = limen("simulate", study, "--raters", 1, "--browser", *page, PYTHONPATH=str(empty))
    assert (no_playwright.code, no_playwright.err.count("\n")) == (3, 1)
    assert "limen[browser]" in no_playwright.err
    (empty / "chromium").write_text("#!/bin/sh\nexit 1\n")
    (empty / "chromium").chmod(0o755)
    broken = limen("simulate", study, "--raters", 1, "--browser", *page, LIMEN_CHROMIUM=str(empty / "chromium"))
    assert (broken.code, broken.err.count("\n")) == (3, 1)
    assert "does not start as a browser" in broken.err
