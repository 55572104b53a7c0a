"""`limen page` and `limen collect`: the survey as a file, and its answers back."""

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from commands import limen
from limen.core.sessions import Mode
from limen.storage.store import read_store
from limen.study.folder import StudyFolder
from limen.workflow.answers import joined_trials
from studies import QUALIFIES, an_answer


@pytest.fixture
def study(example_study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example_study, tmp_path / "study"))


def make_page(study: Path, name: str = "survey.html", sessions: int = 3, *options: str) -> dict[str, Any]:
    page = study / "page.html"
    done = limen("page", study, "--out", study / name, "--sessions", sessions, "--page-file", page, *options)
    assert done.code == 0, done.err
    boot = re.search(r'id="limen-boot">(.*?)</script>', (study / name).read_text(), re.DOTALL)
    assert boot is not None
    found = json.loads(boot[1])
    assert isinstance(found, dict)
    return found


def responses(boot: dict[str, Any], plan: int = 0, response_id: str = "r1", trials: int = 23) -> dict[str, Any]:
    """Build the file that the page saves."""
    chosen = boot["plans"][plan]
    return {
        "schema": "limen.responses/1",
        "study_id": boot["study_id"],
        "response_id": response_id,
        "code": chosen["code"],
        "consent_version": boot["study"]["consent_version"],
        "screening": QUALIFIES,
        "started": "2026-01-05T09:00:00Z",
        "finished": "2026-01-05T10:00:00Z" if trials == 23 else None,
        "main_task_ms": 1_800_000 if trials == 23 else None,
        "practice": [{"number": n, "token": f"practice-{n}", "answer": an_answer()} for n in (1, 2)],
        "trials": [
            {"number": n, "token": chosen["trials"][n - 1]["token"], "answer": an_answer()}
            for n in range(1, trials + 1)
        ],
        "strategy": {"options": [0], "other": "", "skipped": False, "tab": "t"},
        "demographics": None,
        "screens": {"consent": 5000, "unheard-of": 1},
    }


def save(folder: Path, content: object) -> Path:
    file = folder / f"responses_{len(list(folder.glob('responses_*')))}.json"
    file.write_text(json.dumps(content))
    return file


def test_a_page_comes_with_its_key_and_invitations(study: Path) -> None:
    boot = make_page(study)
    codes = [plan["code"] for plan in boot["plans"]]
    assert len(set(codes)) == 3
    assert all(re.fullmatch(r"[A-HJKMNP-Z2-9]{4}", code) for code in codes)
    key = json.loads((study / "key.json").read_text())
    (page,) = key["pages"]
    assert [plan["code"] for plan in page["plans"]] == codes
    assert page["study_id"] == boot["study_id"]
    with (study / "invitations.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["link"] for row in rows] == [f"survey.html#{code}" for code in codes]
    html = (study / "survey.html").read_text()
    assert not re.search(r"(BASE|CAT)_\d\d|ATT_[A-Z]+|CATASTROPHIC|BASELINE", html)


def test_a_second_page_keeps_the_first_ones_key(study: Path) -> None:
    first, second = make_page(study), make_page(study, "other.html", 2)
    assert len(json.loads((study / "key.json").read_text())["pages"]) == 2
    with (study / "invitations.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 5
    assert first["study_id"] != second["study_id"]
    orders = [
        plan["stimulus_ids"] for page in json.loads((study / "key.json").read_text())["pages"] for plan in page["plans"]
    ]
    assert len({tuple(order) for order in orders}) == 5
    files = [save(study, responses(first, response_id="a")), save(study, responses(second, response_id="b"))]
    assert limen("collect", study, *files).code == 0


def test_a_page_is_never_overwritten_since_its_codes_would_stop_working(study: Path) -> None:
    make_page(study)
    kept = {name: (study / name).read_bytes() for name in ("survey.html", "key.json", "invitations.csv")}
    to = study / "survey.html"
    done = limen("page", study, "--out", to, "--sessions", 3, "--page-file", study / "page.html")
    wanted = "exists, and its codes would stop working; name another --out, or delete it first"
    assert (done.code, done.err) == (2, f"limen: {to}: {wanted}\n")
    folder = limen("page", study, "--out", study, "--sessions", 3, "--page-file", study / "page.html")
    assert (folder.code, "is a folder; name a file" in folder.err) == (2, True)
    assert {name: (study / name).read_bytes() for name in kept} == kept


def test_answers_are_collected_joined_and_counted_once(study: Path) -> None:
    boot = make_page(study)
    early, full = save(study, responses(boot, trials=4)), save(study, responses(boot))
    other = save(study, responses(boot, response_id="r2"))
    done = limen("collect", study, early, full, other)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert "P001: 4 answers added, 0 known" in lines[0]
    assert "P001: 19 answers added, 4 known" in lines[1]
    assert "P002: 23 answers added, 0 known; its plan was answered by someone else too" in lines[2]
    again = limen("collect", study, early, full, other)
    assert again.code == 0
    assert "0 answers added, 23 known" in again.out
    stimuli = StudyFolder(study).read_stimuli()
    joined = read_store(
        f"sqlite:///{study / 'answers.sqlite'}", lambda reading: list(joined_trials(reading, stimuli, Mode.LIVE))
    )
    assert joined is not None
    assert len(joined[0].pair_id) == 46
    assert joined[0].condition.count("CATASTROPHIC") == 20
    status = limen("status", study).out
    assert "2 of 10 raters have finished" in status
    assert "2 of live came as files" in status
    assert limen("withdraw", study, "r2").code == 0
    assert "withdrawn before" in limen("collect", study, other).out


def test_a_pilots_page_brings_comments_back(study: Path) -> None:
    boot = make_page(study, "pilot.html", 1, "--pilot")
    assert (boot["mode"], make_page(study)["mode"]) == ("pilot", "live")
    file = save(study, {**responses(boot), "comment": {"text": "Pair 2 was long.", "tab": "t"}})
    assert limen("collect", study, file).code == 0
    assert "comment (pilot, P001): Pair 2 was long." in limen("status", study).out


def test_what_does_not_belong_is_refused_and_the_rest_is_taken(study: Path, tmp_path: Path) -> None:
    boot = make_page(study)
    good = save(study, responses(boot))
    foreign = save(study, {**responses(boot, response_id="x"), "study_id": "other"})
    unknown = save(study, {**responses(boot, response_id="y"), "more": 1})
    broken = study / "responses_broken.json"
    broken.write_text("{")
    impossible = responses(boot, response_id="z")
    impossible["started"] = "2026-02-31T09:00:00Z"
    repeated = responses(boot, response_id="w")
    repeated["strategy"] = {"options": [99, 0, 0, 0], "other": "", "skipped": False, "tab": "t"}
    bad = [foreign, unknown, broken, save(study, impossible), tmp_path / "none.json", save(study, repeated)]
    done = limen("collect", study, *bad, good)
    assert done.code == 2
    assert done.err == "limen: 6 of 7 files refused; the others were taken in\n"
    lines = done.out.splitlines()
    assert "not from a page of this study" in lines[0]
    assert "does not answer the question strategy as its page does: There is no such option." in lines[5]
    assert all("refused" in line for line in lines[:6])
    assert "holds answers, but not as a page writes them (Object contains unknown field `more`); expected" in lines[1]
    assert "P001: 23 answers added" in lines[6]
    alone = limen("collect", study, broken)
    assert alone.err == "limen: 1 of 1 file refused; nothing was taken in\n"


def test_collecting_without_a_key_says_what_to_do(study: Path, tmp_path: Path) -> None:
    done = limen("collect", study, tmp_path / "x.json")
    assert (done.code, "limen page" in done.err) == (2, True)


def test_static_answers_alone_are_analyzed_by_the_pages_clock(study: Path) -> None:
    boot = make_page(study, sessions=5)
    (key,) = json.loads((study / "key.json").read_text())["pages"]
    shown = {
        token: stimulus
        for plan in key["plans"]
        for token, stimulus in zip(plan["trial_tokens"], plan["stimulus_ids"], strict=True)
    }
    files = []
    for plan in range(5):
        content = responses(boot, plan, response_id=f"r{plan}")
        for trial in content["trials"]:
            stimulus = shown[trial["token"]]
            off = stimulus.startswith("CAT") or stimulus in {"ATT_GIBBERISH", "ATT_INSTRUCTION"}
            trial["answer"] = an_answer("SOMETHINGS_OFF" if off else "NORMAL")
        files.append(save(study, content))
    assert limen("collect", study, *files).code == 0
    done = limen("analyze", study)
    assert done.code == 0, done.err
    assert "Outcome A: Humans Detect CATASTROPHIC" in done.out
    found = json.loads((study / "results" / "analysis.json").read_text())
    assert found["n"]["landed"] == {"undetermined": "a static page cannot tell who opened it"}
    assert found["n"]["analyzed"] == 5
    with (study / "results" / "raw_responses.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["source"], row["main_task_clock"], row["main_task_ms"]) for row in rows} == {
        ("static", "page", "1800000")
    }
    assert {row["timestamp"] for row in rows} == {"2026-01-05T10:00:00.123Z"}  # the page's clock
