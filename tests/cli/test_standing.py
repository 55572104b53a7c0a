"""A study on other thresholds or another metric says so wherever it is looked at."""

import json
import re
from pathlib import Path

import pytest

from commands import a_server, limen
from limen.study.folder import StudyFolder
from studies import STAND_IN_PAGE

MARK = "not the protocol's condition"
METRIC = "cosine/wordllama/l2_supercat-256"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a study by another metric with thresholds of its own, with simulated answers and their results."""
    folder = tmp_path_factory.mktemp("standing") / "study"
    assert limen("init", folder, "--example").code == 0
    bounds = ("--quantiles", "BASELINE=0.5,CATASTROPHIC=0.5")
    made = limen("pairs", folder / "logs", "--study", folder, "--metric", METRIC, *bounds)
    assert made.code == 0, made.err
    assert f"{METRIC}: {MARK}" in made.out
    (folder / "page.html").write_text(STAND_IN_PAGE)
    return folder


@pytest.fixture(scope="module")
def results(study: Path) -> Path:
    done = limen("simulate", study, "--raters", 6, "--straight")
    assert done.code == 0, done.err
    done = limen("analyze", study, "--mode", "simulated")
    assert done.code == 0, done.err
    return study / "results"


def test_the_pairs_file_and_the_pages_for_review_say_it(study: Path) -> None:
    folder = StudyFolder(study)
    meta = json.loads(folder.pairs_file.read_text())["metadata"]
    assert (meta["metric"], meta["metric_standing"]) == (METRIC, MARK)
    assert f"**{METRIC}: {MARK}.**" in folder.review_file.read_text()


def test_check_says_it(study: Path) -> None:
    assert f"{METRIC}: {MARK}" in limen("check", study).out
    findings = json.loads(limen("check", study, "--json").out)["findings"]
    assert any((f["subject"], f["text"]) == (METRIC, MARK) for f in findings)


def test_the_status_in_the_terminal_says_it(study: Path) -> None:
    assert f"\n{METRIC}: {MARK}\n" in limen("status", study).out
    told = json.loads(limen("status", study, "--json").out)
    assert (told["metric"], told["metric_standing"]) == (METRIC, MARK)


def test_the_status_page_says_it(study: Path) -> None:
    import httpx

    with a_server(study) as server:
        page = httpx.get(server.researcher).text
    assert re.search(rf"<strong>{METRIC}: not the protocol(&#39;|')s condition\.</strong>", page)


def test_the_results_say_it(results: Path) -> None:
    told = json.loads((results / "analysis.json").read_text())["study"]
    assert (told["metric"], told["metric_standing"]) == (METRIC, MARK)
    rows = (results / "raw_responses.csv").read_text().splitlines()
    header = rows[0].split(",")
    pair = next(row.split(",") for row in rows[1:] if ",CATASTROPHIC," in row)
    assert (pair[header.index("drift_metric")], pair[header.index("drift_standing")]) == (METRIC, MARK)


def test_the_reports_say_it_before_anything_else(results: Path) -> None:
    html = (results / "report.html").read_text()
    body = html[html.index("<body") :]
    said = re.search(rf"{METRIC} \(not the protocol(&#39;|')s condition\)", body)
    assert said is not None
    assert said.start() < body.index("<h2")
    text = (results / "analysis_report.md").read_text().replace("\\", "")  # before what Markdown would read otherwise
    assert text.index(f"{METRIC} ({MARK})") < text.index("\n## ")


def test_the_results_name_the_ranges_that_the_pairs_were_chosen_by(study: Path, results: Path) -> None:
    bands = json.loads(StudyFolder(study).pairs_file.read_text())["metadata"]["bands"]
    target = bands["CATASTROPHIC"]["above"]
    assert target != 1.0
    told = json.loads((results / "analysis.json").read_text())
    assert {condition["name"]: condition["drift"] for condition in told["study"]["conditions"]} == bands
    text = (results / "analysis_report.md").read_text().replace("\\", "")
    assert f"drift > {target}" in text


def test_thresholds_changed_in_study_toml_are_marked_too(tmp_path: Path) -> None:
    folder = tmp_path / "study"
    assert limen("init", folder, "--example").code == 0
    text = (folder / "study.toml").read_text()
    moved, count = re.subn(r"drift = \{ above = 1\.0+ \}", "drift = { above = 0.9 }", text)
    assert count == 1, text
    (folder / "study.toml").write_text(moved)
    assert limen("pairs", folder / "logs", "--study", folder).code == 0
    meta = json.loads(StudyFolder(folder).pairs_file.read_text())["metadata"]
    assert meta["metric_standing"] == MARK
