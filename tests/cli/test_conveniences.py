"""What people expect of any command: completion in the shell, no colour when asked, JSON for scripts, `python -m`."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from commands import limen
from limen import __version__

_COLOUR = re.compile(r"\x1b\[[0-9;]*?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[0-9;]*m")


def _complete(shell: str, words: str, **changes: str) -> str:
    environment = {**os.environ, "_LIMEN_COMPLETE": f"complete_{shell}", **changes}
    command = [sys.executable, "-m", "limen"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert "Traceback" not in done.stderr
    return done.stdout


def test_the_shell_completes_commands_and_options() -> None:
    assert "simulate" in _complete("bash", "", COMP_WORDS="limen sim", COMP_CWORD="1").split()
    assert "--character" in _complete("bash", "", COMP_WORDS="limen simulate --ch", COMP_CWORD="2")
    assert "serve" in _complete("zsh", "", _TYPER_COMPLETE_ARGS="limen ser")
    shown = limen("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert "_LIMEN_COMPLETE=complete_bash" in shown.out
    assert shown.code == 0


def test_no_color_takes_the_colours_away(example_study: Path) -> None:
    coloured = limen("check", example_study, FORCE_COLOR="1", NO_COLOR="")
    plain = limen("check", example_study, FORCE_COLOR="1", NO_COLOR="1")
    assert _COLOUR.search(coloured.out)
    assert not _COLOUR.search(plain.out)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.out) == re.sub(r"\x1b\[[0-9;]*m", "", plain.out)


@pytest.mark.parametrize("command", ["status", "check"])
def test_json_is_all_that_is_printed(example_study: Path, command: str) -> None:
    done = limen(command, example_study, "--json")
    assert isinstance(json.loads(done.out), dict)
    assert done.err == ""


def test_python_m_limen_and_the_installed_command_are_the_same() -> None:
    command = Path(sys.executable).with_name("limen")
    installed = subprocess.run([command, "--version"], capture_output=True, text=True, check=True, timeout=60)
    assert installed.stdout == limen("--version").out == f"limen {__version__}\n"


def _unread(*arguments: object) -> tuple[int, str]:
    """Run a command whose output nobody reads, as behind `| head`; give its exit code and what it says aside."""
    command = [sys.executable, "-m", "limen", *(str(argument) for argument in arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    return process.returncode, said


@pytest.mark.parametrize("option", [(), ("--json",)])
def test_a_pipe_that_is_closed_early_is_no_error(example_study: Path, option: tuple[str, ...]) -> None:
    assert _unread("check", example_study, *option) == (0, "")


def test_a_study_that_is_not_ready_stays_so_when_nobody_reads_on(example_study: Path, tmp_path: Path) -> None:
    study = Path(shutil.copytree(example_study, tmp_path / "study"))
    text = (study / "study.toml").read_text()
    (study / "study.toml").write_text(text.replace("minimum = 200", "minimum = 260"))
    assert _unread("check", study) == (3, "")
