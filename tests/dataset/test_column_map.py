"""Exports of survey platforms are read through a small column map."""

from pathlib import Path

import pytest

from answers import NOW
from builders import s3
from limen.core.analysis.trials import NOT_KNOWN, TaskClock
from limen.core.exclusion import judge_participants, main_task
from limen.dataset.column_map import read_column_map
from limen.dataset.responses import Reading, read_responses
from limen.errors import DataError
from limen.workflow.collected import Collected

QUALTRICS = """
layout = "wide"
skip_rows = 2
time_unit = "s"

[columns]
participant_id = "ResponseId"
main_task_ms = "Duration (in seconds)"

[responses]
"Normal" = "NORMAL"
"Something's off" = "SOMETHINGS_OFF"

[[trials]]
column = "Q1"
pair_id = "BASE_01"
condition = "BASELINE"
trial_number = 1
response_time = "Q1_Page Submit"

[[trials]]
column = "Q2"
pair_id = "ATT_IDENTICAL"
condition = "ATTENTION"
trial_number = 2
"""

FORMS = """
layout = "wide"
[responses]
"NORMAL" = "NORMAL"
"SOMETHING'S OFF" = "SOMETHINGS_OFF"
[[trials]]
column = "Pair 1: does Response B sound NORMAL?"
pair_id = "BASE_01"
condition = "BASELINE"
trial_number = 1
[[trials]]
column = "Pair 2"
pair_id = "CAT_01"
condition = "CATASTROPHIC"
trial_number = 2
"""

TYPEFORM = FORMS.replace('layout = "wide"', 'layout = "wide"\ncolumns = { participant_id = "#" }')


def _read(tmp_path: Path, mapped: str, export: str) -> Collected:
    (tmp_path / "map.toml").write_text(mapped)
    (tmp_path / "export.csv").write_text(export)
    found = read_column_map(tmp_path / "map.toml")
    return read_responses(tmp_path / "export.csv", Reading(protocol=s3(), now=NOW, mapped=found))


def test_an_export_of_qualtrics(tmp_path: Path) -> None:
    export = (
        "StartDate,ResponseId,Duration (in seconds),Q1,Q1_Page Submit,Q2\n"
        "Start Date,Response ID,Duration (in seconds),Does it?,Timing,Check\n"
        '"{""ImportId"":""startDate""}",x,x,x,x,x\n'
        "2025-12-28 10:00:00,R_1,412,Normal,12.345,Normal\n"
        "2025-12-28 11:00:00,R_2,250,Something's off,8,Something's off\n"
    )
    table = _read(tmp_path, QUALTRICS, export).table
    assert table.participants.ids == ("R_1", "R_2")
    assert table.participants.main_task_ms.tolist() == [412_000, 250_000]
    assert table.response_time_ms is not None
    assert table.response_time_ms.tolist() == [12_345, NOT_KNOWN, 8000, NOT_KNOWN]
    assert table.off.tolist() == [False, False, True, True]
    judged = judge_participants(table, s3())
    assert judged.exclusions[0].rules == ("too_fast",)


def test_an_export_of_google_forms_has_neither_ids_nor_times(tmp_path: Path) -> None:
    export = (
        'Timestamp,"Pair 1: does Response B sound NORMAL?",Pair 2\n'
        "2025/12/28 10:00:00 AM GMT+1,NORMAL,SOMETHING'S OFF\n"
        "2025/12/28 10:05:00 AM GMT+1,NORMAL,\n"
    )
    table = _read(tmp_path, FORMS, export).table
    assert table.participants.ids == ("R001", "R002")
    assert table.rows == 3
    reports = {rule.rule.value: rule.assessed for rule in judge_participants(table, s3()).rules}
    assert reports == {"incomplete": True, "attention": False, "too_fast": False, "no_variance": False}
    assert judge_participants(table, s3()).kept.tolist() == [True, False]


def test_an_export_of_typeform(tmp_path: Path) -> None:
    export = (
        '#,"Pair 1: does Response B sound NORMAL?",Pair 2,Submit Date (UTC)\n'
        "a1b2,SOMETHING'S OFF,NORMAL,2025-12-28 10:00:00\n"
    )
    table = _read(tmp_path, TYPEFORM, export).table
    assert table.participants.ids == ("a1b2",)
    assert table.off.tolist() == [True, False]


def test_if_all_pages_are_timed_their_sum_is_the_main_task(tmp_path: Path) -> None:
    mapped = QUALTRICS.replace('main_task_ms = "Duration (in seconds)"\n', "").replace(
        "trial_number = 2", 'trial_number = 2\nresponse_time = "T2"'
    )
    table = _read(tmp_path, mapped, "ResponseId,Q1,Q1_Page Submit,Q2,T2\nx\nx\nr,Normal,200,Normal,150\n").table
    assert main_task(table).ms.tolist() == [350_000]
    assert table.participants.main_task_clock == (TaskClock.PAGE,)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("layout = ", "no column map"),
        ('layout = "broad"', "no column map"),
        ('color = "blue"', "no column map"),
        ('layout = "wide"', r"needs \[\[trials\]\]"),
        ('delimiter = ";;"', "one character"),
        (FORMS.replace('"CAT_01"', '"BASE_01"'), "a pair_id stands twice"),
        (FORMS.replace("trial_number = 2", "trial_number = 1"), "a trial_number stands twice"),
    ],
)
def test_a_map_that_cannot_be_used_is_refused(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "map.toml").write_text(text)
    with pytest.raises(DataError, match=says):
        read_column_map(tmp_path / "map.toml")


@pytest.mark.parametrize(
    ("mapped", "says"),
    [
        (FORMS.replace("Pair 2", "Pair 3"), "no column 'Pair 3'"),
        ('columns = { colour = "x" }', "'colour', which is no column"),
        ('columns = { mode = "kind" }', "no column 'participant_id'"),
    ],
)
def test_a_map_that_does_not_fit_the_table_is_refused(mapped: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=says):
        _read(tmp_path, mapped, "Timestamp,Pair 1: does Response B sound NORMAL?,Pair 2\n1,NORMAL,NORMAL\n")


def test_a_missing_map_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        read_column_map(tmp_path / "none.toml")
