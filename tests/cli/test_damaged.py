"""A database that is damaged somewhere: every command says so in one line, with the way back."""

import json
import shutil
from pathlib import Path

import pytest

from damage import damage
from limen.cli.main import run
from limen.core.sessions import DailyCount, Mode
from limen.storage.store import open_store
from limen.study.folder import StudyFolder
from limen.workflow.participate import begin, complete
from limen.workflow.ports import Writing
from limen.workflow.record import record_practice, record_trial
from limen.workflow.served import serve_study
from studies import QUALIFIES, START, a_judgment, a_visit, applies

COMMANDS = {
    "status": (),
    "export": (),
    "export --counts": ("--counts",),
    "analyze": (),
    "collect": ("responses.json",),
    "withdraw": ("some-code",),
    "backup": (),
}
UNAWARE = {  # what a command does not look at cannot stop it
    "trials": {"withdraw"},
    "sessions": {"withdraw"},  # a code that is not there is found missing in the index
    "counts": {"export", "export --counts", "collect", "withdraw"},
}


@pytest.fixture(scope="module")
def answered(example_study: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(shutil.copytree(example_study, tmp_path_factory.mktemp("damaged") / "study"))
    study = StudyFolder(folder)
    served = serve_study(study.read_protocol(), study.read_stimuli(), live=True)
    visit = a_visit("A" * 22)

    def take_part(desk: Writing) -> None:
        desk.count(Mode.LIVE, START.date(), DailyCount.LANDED)
        begin(desk, served, visit, applies(served))
        for number in (1, 2):
            record_practice(desk, visit, number, a_judgment())
        for number in range(1, 24):
            record_trial(desk, visit, number, a_judgment())
        complete(desk, visit, 900_000)

    with open_store(f"sqlite:///{study.answers_file}") as store:
        store.submit(take_part).result(10)
    page = ("--page-file", folder / "page.html")
    with pytest.raises(SystemExit) as done:
        run([str(part) for part in ("page", folder, "--out", folder / "survey.html", "--sessions", 1, *page)])
    assert done.value.code == 0
    (folder / "responses.json").write_text(json.dumps(a_file(folder)))
    return folder


def a_file(folder: Path) -> dict[str, object]:
    (page,) = json.loads((folder / "key.json").read_text())["pages"]
    return {
        "schema": "limen.responses/1",
        "study_id": page["study_id"],
        "response_id": "r1",
        "code": page["plans"][0]["code"],
        "consent_version": page["consent_version"],
        "screening": QUALIFIES,
        "started": "2026-01-05T09:00:00Z",
        "finished": None,
        "main_task_ms": None,
        "practice": [],
        "trials": [],
        "strategy": None,
        "demographics": None,
        "screens": {},
    }


@pytest.mark.parametrize("table", UNAWARE)
@pytest.mark.parametrize("command", COMMANDS)
def test_damage_is_told_in_one_line_with_the_way_back(
    answered: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, table: str
) -> None:
    study = Path(shutil.copytree(answered, tmp_path / "study"))
    damage(study / "answers.sqlite", table)
    options = [str(study / option) if option.endswith(".json") else option for option in COMMANDS[command]]
    with pytest.raises(SystemExit) as done:
        run([command.partition(" ")[0], str(study), *options])
    said = capsys.readouterr().err
    if command in UNAWARE[table]:
        assert "should not happen" not in said
        return
    assert (done.value.code, said.count("\n")) == (2, 1), said
    assert said.startswith(f"limen: {study / 'answers.sqlite'}: is damaged")
    assert "put a copy made by `limen backup` in its place" in said
    assert not [*study.glob("results/*"), *study.glob("backups/*")]
