"""What is said when a command is mistyped."""

import shutil
from pathlib import Path

import pytest

from commands import limen
from limen.cli.main import run


def said(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as left:
        run([str(argument) for argument in arguments])
    assert left.value.code == 2
    return capsys.readouterr().err


def test_a_number_that_is_none_is_told_in_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "'--port': expected a whole number; see" in said(capsys, "serve", tmp_path, "--port", "abc")
    told = said(capsys, "simulate", tmp_path, "--raters", 1, "--d-prime", "abc")
    assert "'--d-prime': expected a number; see" in told


def test_a_mistyped_command_is_told_with_the_one_that_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    told = said(capsys, "chek")
    assert "did you mean 'check'; see `limen --help`" in told


def test_a_file_in_place_of_a_study_folder_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("x")
    assert said(capsys, "check", file) == f"limen: {file}: is a file, not a study folder; name the folder\n"


def test_a_code_that_nobody_has_is_told_and_makes_no_database(example_study: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(example_study, tmp_path / "study"))
    for code in ("nonsense", "\udcff\udcfe"):  # the second as Python hands over the bytes FF FE
        done = limen("withdraw", study, code)
        assert (done.code, done.err.count("\n")) == (2, 1), done.err
        assert "there are no answers under this code" in done.err
    assert not list(study.glob("answers.sqlite*"))


@pytest.mark.parametrize("group", [(), ("logs",), ("drift",)])
def test_no_line_of_the_help_is_cut(
    group: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        run([*group, "--help"])
    commands = capsys.readouterr().out.partition("Commands:")[2]
    assert commands.count("\n") > 2
    assert "..." not in commands
