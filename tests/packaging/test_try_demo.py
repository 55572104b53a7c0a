"""`scripts/try-demo`, which `scripts/test` runs: it notices whatever a demonstration could break."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "try-demo"
GOOD = """
mkdir -p out/demo/results
for name in raw_responses.csv summary_stats.csv analysis_report.md report.html analysis.json; do
  echo x >"out/demo/results/$name"
done
echo 'Simulated data: made up'
echo 'Outcome C (C1): Mixed'
echo 'results/report.html results/raw_responses.csv results/summary_stats.csv results/analysis_report.md'
"""
BREAKS = {
    "a file is missing": ("rm out/demo/results/summary_stats.csv", "summary_stats.csv is not there"),
    "a file is empty": (": >out/demo/results/analysis.json", "analysis.json is not there"),
    "a new file": ("echo x >stray.txt", "outside out/"),
    "a changed file": ("echo more >>kept.txt", "outside out/"),
    "a deleted file": ("rm kept.txt", "outside out/"),
}


def _try(folder: Path, demo: str) -> subprocess.CompletedProcess[str]:
    scripts = folder / "scripts"
    scripts.mkdir()
    shutil.copy(SCRIPT, scripts / "try-demo")
    for name, text in {"setup": "", "demo": demo}.items():
        (scripts / name).write_text(f"#!/bin/sh\nset -e\n{text}\n")
        (scripts / name).chmod(0o755)
    (folder / "kept.txt").write_text("kept\n")
    (folder / ".gitignore").write_text("out/\n")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    subprocess.run(["git", "-C", folder, "add", "--all"], check=True)
    return subprocess.run([scripts / "try-demo"], capture_output=True, text=True, check=False, timeout=60)


def test_a_demonstration_that_keeps_its_promises_passes(tmp_path: Path) -> None:
    done = _try(tmp_path, GOOD)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", BREAKS)
def test_what_it_leaves_behind_is_noticed(tmp_path: Path, name: str) -> None:
    broken, said = BREAKS[name]
    done = _try(tmp_path, GOOD + broken)
    assert (done.returncode, said in done.stderr) == (1, True), done


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("Simulated data: made up", "first line"),
        ("Outcome C (C1): Mixed", "no line with the outcome"),
        ("results/report.html ", "report.html is not named"),
    ],
)
def test_what_it_does_not_say_is_noticed(tmp_path: Path, line: str, said: str) -> None:
    done = _try(tmp_path, GOOD.replace(line, ""))
    assert (done.returncode, said in done.stderr) == (1, True), done


def test_a_demonstration_that_fails_fails(tmp_path: Path) -> None:
    assert _try(tmp_path, f"{GOOD}\nexit 3").returncode == 3
