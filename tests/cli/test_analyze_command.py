"""`limen analyze`, as a person types it."""

import json
import re
from pathlib import Path

import jsonschema
import pytest

from answers import Rater, a_rater, a_table, some_stimuli
from builders import s3
from limen.cli.main import _exit_code
from limen.core.exclusion import judge_participants
from limen.core.shown import shown_stimuli
from limen.core.simulated import Crowd, simulate_table
from limen.core.simulation import Observers
from limen.dataset.analysis_file import decode_analysis
from limen.dataset.raw_file import raw_responses
from limen.study.folder import StudyFolder

PEOPLE = [*(a_rater(3, 7, shift=k) for k in range(6)), a_rater(fails=2)]
SCHEMA = Path(__file__).parents[2] / "docs" / "reference" / "schemas" / "analysis.schema.json"
FILES = [
    "analysis.json",
    "analysis_report.md",
    "raw_responses.csv",
    "report.html",
    "reproduce.R",
    "reproduce.py",
    "summary_stats.csv",
]


@pytest.fixture(autouse=True)
def _plain_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")


def _answers(path: Path, people: list[Rater], mode: str = "live") -> Path:
    table = a_table(people, mode=mode)
    path.write_bytes(b"".join(raw_responses(table, judge_participants(table, s3()).exclusions)))
    return path


def _limen(*arguments: object) -> int:
    return _exit_code([str(argument) for argument in arguments])


def test_a_table_becomes_the_result_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = _answers(tmp_path / "answers.csv", PEOPLE)
    assert _limen("analyze", "--from", answers, "--out", tmp_path / "out") == 0
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_file()) == FILES
    report = (tmp_path / "out" / "analysis_report.md").read_text("utf-8")
    drawn = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    assert drawn == {Path(name).name for name in re.findall(r"\]\((figures/[^)]+)\)", report)}
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Outcome C (C1): Mixed/Inconsistent"
    assert lines[2] == "6 of 7 raters analyzed, 1 excluded"
    assert lines[4].startswith("CATASTROPHIC: SOMETHING'S OFF 70 % (42 of 60), 95 % interval [")
    found = decode_analysis((tmp_path / "out" / "analysis.json").read_bytes())
    assert found.made.source == "answers.csv"
    assert set(found.made.versions) == {"limen", "python", "numpy", "scipy", "matplotlib", "jinja2"}


def test_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    answers = _answers(tmp_path / "answers.csv", PEOPLE)
    for name in ("one", "two"):
        assert _limen("analyze", "--from", answers, "--out", tmp_path / name) == 0
    for name in FILES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_json_for_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = _answers(tmp_path / "answers.csv", PEOPLE[:2])
    assert _limen("analyze", "--from", answers, "--out", tmp_path / "out", "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert result["outcome"]["letter"] == "NOT ASSESSABLE"
    assert result["n"]["analyzed"] == 2
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert sorted(map(Path, result["files"])) == sorted(files)


def test_simulated_answers_say_so_on_the_first_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = _answers(tmp_path / "answers.csv", PEOPLE[:2], mode="simulated")
    assert _limen("analyze", "--from", answers, "--out", tmp_path / "out") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "simulated answers: not a result of the study"
    assert lines[1] == "NOT ASSESSABLE"


def test_problems_and_rules_not_assessed_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = ["participant_id,trial_number,pair_id,condition,response"]
    lines += [
        f"P{r},{k},{s.stimulus_id},{s.condition},NORMAL" for r in range(2) for k, s in enumerate(some_stimuli()[:20], 1)
    ]
    path = tmp_path / "answers.csv"
    path.write_text("\n".join([*lines, "P9,1,BASE_01,BASELINE,dunno"]) + "\n")
    assert _limen("analyze", "--from", path, "--out", tmp_path / "out") == 0
    out = capsys.readouterr().out
    assert "not assessed: at least 2 of 3 attention checks failed" in out
    assert "1 × an answer outside the two: the answer is not counted (row 42: response 'dunno')" in out


def test_nobody_left_is_exit_code_3_and_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = _answers(tmp_path / "answers.csv", [a_rater(answered=3)])
    assert _limen("analyze", "--from", answers, "--out", tmp_path / "out") == 3
    told = capsys.readouterr().err
    assert "1 started and none is left after the exclusions (1 incomplete; the first, P001, answered 3 of 23" in told
    assert not (tmp_path / "out").exists()


def test_a_table_without_answers_is_exit_code_3_and_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header = _answers(tmp_path / "full.csv", PEOPLE).read_text("utf-8").splitlines()[0]
    answers = tmp_path / "answers.csv"
    answers.write_text(f"{header}\n", "utf-8")
    assert _limen("analyze", "--from", answers, "--out", tmp_path / "out") == 3
    assert "a header and no answers: there is nothing to analyze; at least 5 raters" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_with_a_study_folder_its_material_and_metric_are_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "s"
    assert _limen("init", folder, "--example") == 0
    assert _limen("pairs", folder / "logs", "--study", folder) == 0
    study = StudyFolder(folder)
    stimuli = shown_stimuli(study.read_protocol(), study.read_stimuli())
    table = a_table([a_rater(3, 7, shift=k) for k in range(5)], stimuli=stimuli)
    answers = tmp_path / "answers.csv"
    answers.write_bytes(b"".join(raw_responses(table, ())))
    capsys.readouterr()
    assert _limen("analyze", folder, "--from", answers) == 0
    found = decode_analysis((folder / "results" / "analysis.json").read_bytes())
    assert found.study.metric == "keyword-rms/limen-1"
    assert found.made.stimulus_digest == study.read_stimuli().digest()
    assert found.settings == ()


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "name a study folder, or a table"),
        (("--from", "x.csv"), 2, "needs --out DIR"),
        (("--from", "x.csv", "--out", "o"), 2, "x.csv: cannot be read"),
        (("nowhere", "--out", "o"), 2, "nowhere: no such folder"),
        (("nowhere", "--protocol", "p.toml"), 2, "the study folder has its own study.toml"),
        (("nowhere", "--columns", "m.toml"), 2, "a column map belongs to a table"),
    ],
)
def test_misuse_is_said_in_one_line(
    arguments: tuple[str, ...], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _limen("analyze", *arguments) == code
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_a_study_without_answers_is_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "s"
    assert _limen("init", folder, "--example") == 0
    assert _limen("analyze", folder) == 3
    assert "`limen pairs LOG… --study" in capsys.readouterr().err
    assert _limen("pairs", folder / "logs", "--study", folder) == 0
    assert _limen("analyze", folder) == 3
    assert "no answers of mode live are stored" in capsys.readouterr().err
    assert _limen("analyze", folder, "--mode", "simulated") == 3
    assert f"`limen simulate {folder} --raters N` takes them in" in capsys.readouterr().err


EXPORTS = Path(__file__).parents[1] / "dataset" / "exports"


@pytest.mark.parametrize(("name", "timed"), [("google_forms", False), ("typeform", False), ("qualtrics", True)])
def test_the_same_answers_come_out_of_every_platforms_export(
    name: str, timed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, columns = EXPORTS / f"{name}.csv", EXPORTS / f"{name}.toml"
    assert _limen("analyze", "--from", table, "--columns", columns, "--out", tmp_path) == 0
    found = decode_analysis((tmp_path / "analysis.json").read_bytes())
    specified = found.as_specified.conditions
    assert (specified["catastrophic"].off, specified["baseline"].off) == (35, 12)
    assert (found.n.started, found.n.completed, found.n.analyzed) == (6, 6, 5)
    assert found.exclusions[0].evidence == "failed 2 of 3 attention checks (ATT_GIBBERISH, ATT_IDENTICAL)"
    assert found.outcome.letter == "C"
    assert found.data_problems == ()
    assert ("not assessed: main task faster than 5 min" in capsys.readouterr().out) is not timed


def test_five_conditions_along_the_axis_go_through_to_every_file(tmp_path: Path) -> None:
    folder = tmp_path / "s"
    assert _limen("init", folder) == 0
    text = (folder / "study.toml").read_text("utf-8")
    for number, (above, below) in enumerate([(0.30, 0.55), (0.55, 0.80), (0.80, 1.00)], 1):
        text += f"""
[[conditions]]
name = "ZONE_{number}"
prefix = "ZONE{number}"
role = "between"
drift = {{ above = {above}, below = {below} }}
count = 10
a_replies = {{ first = 1, last = 3 }}
b_replies = {{ first = 4 }}
"""
    (folder / "study.toml").write_text(text, "utf-8")
    protocol = StudyFolder(folder).read_protocol()
    answers = tmp_path / "answers.csv"
    crowd = Crowd(raters=8, observers=Observers(d_prime=1.5, criterion_sd=0.4, pair_sd=0.4))
    answers.write_bytes(b"".join(raw_responses(simulate_table(protocol, some_stimuli(protocol), crowd), ())))
    out = tmp_path / "out"
    assert _limen("analyze", "--from", answers, "--protocol", folder / "study.toml", "--out", out) == 0
    plain = json.loads((out / "analysis.json").read_bytes())
    names = ["baseline", "catastrophic", "zone_1", "zone_2", "zone_3"]
    assert sorted(set(plain["as_specified"]) & set(names)) == names
    assert set(plain["companions"]["rates"]) == set(names)
    jsonschema.validate(plain, json.loads(SCHEMA.read_text("utf-8")))
    for name in ("report.html", "analysis_report.md", "summary_stats.csv"):
        text = (out / name).read_text("utf-8").replace("\\_", "_")  # escaped in Markdown
        assert all(f"ZONE_{number}" in text or f"zone_{number}" in text for number in (1, 2, 3)), name


def test_a_study_folder_stands_for_its_study_toml(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, answers = tmp_path / "study", tmp_path / "answers.csv"
    _limen("init", folder)
    protocol = StudyFolder(folder).read_protocol()
    table = simulate_table(protocol, some_stimuli(protocol), Crowd(raters=5, observers=Observers(d_prime=1.5)))
    answers.write_bytes(b"".join(raw_responses(table, ())))
    for given in (folder, folder / "study.toml"):
        assert _limen("analyze", "--from", answers, "--protocol", given, "--out", tmp_path / "out" / given.name) == 0
    made = [(tmp_path / "out" / name / "summary_stats.csv").read_bytes() for name in ("study", "study.toml")]
    assert made[0] == made[1]
    assert _limen("analyze", "--from", answers, "--protocol", tmp_path, "--out", tmp_path / "none") == 2
    assert f"{tmp_path / 'study.toml'}: no such file" in capsys.readouterr().err
