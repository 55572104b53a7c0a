"""The result files of the example study are those that were reviewed. `scripts/golden` writes them anew."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands import limen
from golden.example_study import DIGITS, Example, golden_files, make_example, numbers_apart
from limen.dataset.dictionary import RAW_COLUMNS

HERE = Path(__file__).parent / "example"
NAMES = ("analysis.json", "summary_stats.csv", "analysis_report.md", "report.html")


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    return make_example(tmp_path_factory.mktemp("golden") / "study")


@pytest.mark.parametrize("name", NAMES)
def test_the_example_study_is_the_one_that_was_reviewed(name: str, example: Example) -> None:
    """Words must be equal, numbers up to the last digit kept: processors differ in the twelfth."""
    made = golden_files(example)[name]
    if os.environ.get("LIMEN_WRITE_GOLDEN"):
        HERE.mkdir(exist_ok=True)
        (HERE / name).write_text(made, "utf-8")
    words, numbers = numbers_apart(made)
    kept_words, kept_numbers = numbers_apart((HERE / name).read_text("utf-8"))
    assert words == kept_words, f"{name} differs; review the difference, then run scripts/golden"
    assert numbers == pytest.approx(kept_numbers, rel=10.0 ** (1 - DIGITS), abs=1e-12)


def test_the_table_of_answers_alone_gives_the_same_numbers_and_outcome(example: Example, tmp_path: Path) -> None:
    done = limen("analyze", "--from", example.results / "raw_responses.csv", "--out", tmp_path)
    assert done.code == 0, done.err
    alone, whole = (json.loads((folder / "analysis.json").read_text("utf-8")) for folder in (tmp_path, example.results))
    for part in ("study", "as_specified", "outcome", "hypotheses", "companions", "exclusions", "specification"):
        assert alone[part] == whole[part], part
    assert alone["n"]["landed"] == {"undetermined": "a table of answers does not say"}


def test_reproduce_py_gives_the_numbers_of_the_example(example: Example) -> None:
    command = [sys.executable, "-I", str(example.results / "reproduce.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    again = json.loads(done.stdout)
    wanted = json.loads(example.text("analysis.json"))["as_specified"]
    assert set(again) == {"catastrophic", "baseline", "binomial", "chi_square", "fleiss_kappa"}
    for name, numbers in again.items():
        assert numbers == pytest.approx({key: wanted[name][key] for key in numbers}, rel=1e-9), name


def test_a_second_run_gives_the_same_bytes_but_for_the_last_block(example: Example, tmp_path: Path) -> None:
    assert limen("analyze", example.folder, "--mode", "simulated", "--out", tmp_path).code == 0
    again = Example(folder=example.folder, results=tmp_path)
    assert golden_files(again) == golden_files(example)
    drawings = sorted(path.name for path in (example.results / "figures").iterdir())
    assert len(drawings) == 8
    for name in ("raw_responses.csv", "summary_stats.csv", *(f"figures/{drawing}" for drawing in drawings)):
        assert (tmp_path / name).read_bytes() == (example.results / name).read_bytes(), name


def test_the_columns_of_stored_answers_are_those_of_the_data_dictionary(example: Example) -> None:
    with (example.results / "raw_responses.csv").open(encoding="utf-8", newline="") as file:
        assert next(csv.reader(file)) == list(RAW_COLUMNS)
