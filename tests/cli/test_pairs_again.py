"""`limen pairs` on a study that has pairs already: what was answered or is being served is not lost in passing."""

import shutil
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from commands import a_server, begin, limen
from limen.study.folder import StudyFolder
from studies import an_answer


@pytest.fixture
def study(example_study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example_study, tmp_path / "study"))


def another_seed(study: Path) -> None:
    text = (study / "study.toml").read_text()
    assert "seed = 20251228" in text
    (study / "study.toml").write_text(text.replace("seed = 20251228", "seed = 7"))


def test_what_people_answered_stays_unless_it_is_to_be_replaced(study: Path) -> None:
    again = ("pairs", study / "logs", "--study", study)
    folder = StudyFolder(study)
    with a_server(study) as server, httpx.Client(base_url=server.participants) as client:
        token = begin(client)
        for number in (1, 2):
            assert client.put(f"/api/sessions/{token}/practice/{number}", json=an_answer()).is_success
        painted = {"tab": "tab-1", "client_time": "2026-01-05T10:00:00.123Z"}
        assert client.put(f"/api/sessions/{token}/painted", json=painted).is_success
        served = limen(*again, "--replace")
        assert server.terminate() == 0
    before, digest = folder.pairs_file.read_bytes(), folder.read_stimuli().digest()
    assert (served.code, served.err.count("\n")) == (3, 1)
    assert f"is being served at {server.participants}; stop that server" in served.err
    another_seed(study)
    refused = limen(*again)
    assert (refused.code, refused.err.count("\n"), refused.out) == (3, 1, "")
    assert "1 live session belongs to these pairs" in refused.err
    assert folder.pairs_file.read_bytes() == before
    elsewhere = limen(*again, LIMEN_DATABASE=f"sqlite:///{study / 'answers.sqlite'}")
    assert elsewhere.code == 3

    replaced = limen(*again, "--replace")
    kept = study / "stimuli" / f"before-{digest[:8]}"
    assert replaced.code == 0, replaced.err
    assert f"kept the old pairs in {kept}" in replaced.out
    assert (kept / "extreme_pairs.json").read_bytes() == before
    assert folder.read_stimuli().digest() != digest
    analyzed = limen("analyze", study)
    assert (analyzed.code, analyzed.err.count("\n")) == (3, 1)
    assert f"1 live rater answered another set of pairs (stimuli {digest[:8]}…); put that set back" in analyzed.err


def test_simulated_answers_hold_nobody_up_but_are_mentioned(study: Path) -> None:
    assert limen("simulate", study, "--raters", 2, "--straight").code == 0
    another_seed(study)
    again = limen("pairs", study / "logs", "--study", study)
    assert again.code == 0, again.err
    assert "2 simulated sessions belong to the old pairs" in again.out
    assert not list((study / "stimuli").glob("before-*"))


def test_no_database_is_looked_for_where_there_are_no_answers(study: Path) -> None:
    arguments = ["pairs", str(study / "logs"), "--study", str(study)]
    code = (
        "import sys\nfrom limen.cli.main import _exit_code\n"
        f"assert _exit_code({arguments!r}) == 0\n"
        "assert not {'sqlalchemy', 'httpx'} & set(sys.modules), 'too much is imported'"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
