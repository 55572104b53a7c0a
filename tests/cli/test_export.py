"""`limen export`: every stored trial as CSV, and nothing heavy loaded for it."""

import csv
import json
import shutil
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import httpx
import pytest

from commands import a_server, begin, limen
from limen.core.sessions import Mode
from limen.dataset.export_file import export_columns
from limen.storage.store import read_store
from studies import an_answer, an_answer_for


@pytest.fixture(scope="module")
def answered(example_study: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    study = Path(shutil.copytree(example_study, tmp_path_factory.mktemp("export") / "study"))
    with a_server(study) as server, httpx.Client(base_url=server.participants, timeout=20) as client:
        token = begin(client)
        for part, count in (("practice", 2), ("trials", 23)):
            for n in range(1, count + 1):
                answer = client.put(f"/api/sessions/{token}/{part}/{n}", json=an_answer(an_answer_for(token, n)))
                assert answer.status_code == 201
        assert limen("export", study).code == 0, "while the server goes on"
        assert server.terminate() == 0
    return study, token


def test_every_trial_is_a_row_in_the_order_of_trials(answered: tuple[Path, str]) -> None:
    study, token = answered
    with (study / "results" / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    found = read_store(f"sqlite:///{study / 'answers.sqlite'}", lambda reading: reading.sessions(Mode.LIVE))
    assert found is not None
    assert list(rows[0]) == export_columns()
    assert [row["pair_id"] for row in rows] == list(found[0].plan)
    assert [row["trial_number"] for row in rows] == [str(n) for n in range(1, 24)]
    assert [row["response"] for row in rows] == [an_answer_for(token, n) for n in range(1, 24)]
    assert {row["participant_id"] for row in rows} == {"P001"}
    assert sorted({row["condition"] for row in rows}) == ["ATTENTION", "BASELINE", "CATASTROPHIC"]
    assert {row["client_time"] for row in rows} == {"2026-01-05T10:00:00.123000Z"}
    assert all(datetime.fromisoformat(row["timestamp"]).tzinfo is not None for row in rows)


def test_counts_are_those_of_the_rows(answered: tuple[Path, str]) -> None:
    study, _ = answered
    with (study / "results" / "trials.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    counted = json.loads(limen("export", study, "--counts").out)
    for condition, count in counted.items():
        mine = [row for row in rows if row["condition"] == condition]
        assert count == {"off": sum(row["response"] == "SOMETHINGS_OFF" for row in mine), "n": len(mine)}


def test_no_answers_and_no_such_mode_are_told(answered: tuple[Path, str], example_study: Path) -> None:
    for arguments in ((answered[0], "--mode", "pilot"), (example_study,), (answered[0], "--mode", "pilot", "--counts")):
        done = limen("export", *arguments)
        assert (done.code, done.err.count("\n")) == (3, 1), done.err
    wrong = limen("export", answered[0], "--mode", "real")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)


def test_it_loads_no_numbers_package(answered: tuple[Path, str]) -> None:
    script = (
        "import sys; from limen.cli.main import command_line; app = command_line()\n"
        f"app(['export', {str(answered[0])!r}, '--counts'], standalone_mode=False)\n"
        f"app(['export', {str(answered[0])!r}], standalone_mode=False)\n"
        "print(sorted({'numpy', 'scipy', 'pandas', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip().endswith("[]")
