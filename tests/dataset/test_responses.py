"""A file of answers is read with every check: named with row and reason, counted, refused or reported by rule."""

import csv
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from answers import NOW, a_rater, a_table, an_analysis, some_stimuli, without_made
from builders import s3
from limen.core.analysis.trials import NO_TIME, NOT_KNOWN, TaskClock, TrialTable
from limen.core.criteria import ExclusionKind
from limen.core.exclusion import judge_participants, main_task
from limen.core.findings import DataProblem
from limen.dataset.column_map import ColumnMap, Unit
from limen.dataset.raw_file import harmless, raw_responses
from limen.dataset.responses import Reading, read_responses
from limen.errors import DataError, NotReadyError
from limen.workflow.collected import Collected, Material

SEVEN = "participant_id,trial_number,pair_id,condition,response,response_time_ms,timestamp"
FIRST = "P001,1,BASE_01,BASELINE,NORMAL,8432,2025-12-28T14:32:15Z"
SECOND = "P001,2,CAT_03,CATASTROPHIC,SOMETHINGS_OFF,9000,2025-12-28T14:33:15Z"


def _file(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _read(path: Path, **more: object) -> Collected:
    return read_responses(path, Reading(protocol=s3(), now=NOW, **more))  # type: ignore[arg-type]


def _written(tmp_path: Path, table: TrialTable) -> Path:
    path = tmp_path / "raw_responses.csv"
    path.write_bytes(b"".join(raw_responses(table, judge_participants(table, s3()).exclusions)))
    return path


def _problems(collected: Collected) -> dict[str, DataProblem]:
    return {problem.reason: problem for problem in collected.problems}


def test_the_instruments_seven_columns_are_enough(tmp_path: Path) -> None:
    table = _read(_file(tmp_path, SEVEN, FIRST, SECOND)).table
    assert table.participants.ids == ("P001",)
    assert [s.stimulus_id for s in table.stimuli] == ["BASE_01", "CAT_03"]
    assert table.off.tolist() == [False, True]
    assert table.response_time_ms is not None
    assert table.response_time_ms.tolist() == [8432, 9000]
    assert table.timestamp_us is not None
    assert table.timestamp_us.tolist() == [1766932335_000_000, 1766932395_000_000]
    assert main_task(table).ms.tolist() == [60_000 + 8432]
    assert table.mode is None


def test_what_was_written_reads_back_to_the_same_analysis(tmp_path: Path) -> None:
    people = [*(a_rater(2, 8, shift=k) for k in range(5)), a_rater(fails=2), a_rater(answered=4, copies=1)]
    table = a_table(people)
    again = _read(_written(tmp_path, table))
    assert again.problems == ()
    whole, read = an_analysis(table), an_analysis(again.table)
    assert without_made(read) == without_made(whole)


def test_the_written_file_reads_back_byte_for_byte(tmp_path: Path) -> None:
    table = a_table([a_rater(shift=k) for k in range(3)], ids=lambda n: f"=P{n}")
    path = _written(tmp_path, table)
    first = path.read_bytes()
    assert _written(tmp_path, _read(path).table).read_bytes() == first


def test_columns_and_rows_may_come_in_any_order(tmp_path: Path) -> None:
    path = _written(tmp_path, a_table([a_rater(shift=k) for k in range(3)]))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    other = tmp_path / "turned.csv"
    with other.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(reversed(rows[0])))
        writer.writeheader()
        writer.writerows(reversed(rows))
    one, two = _read(path).table, _read(other).table
    assert one.participants.ids == two.participants.ids
    assert np.array_equal(one.off, two.off)
    assert one.stimuli == two.stimuli


def test_the_recorded_time_decides_and_not_the_timestamps(tmp_path: Path) -> None:
    table = a_table([a_rater(task_ms=1000), a_rater()])
    again = _read(_written(tmp_path, table)).table
    assert again.participants.main_task_ms.tolist() == [1000, 900_000]
    assert again.participants.main_task_clock == (TaskClock.SERVER, TaskClock.SERVER)
    assert judge_participants(again, s3()).kept.tolist() == [False, True]


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ((), "empty"),
        (("id,answer", "1,yes"), "no column 'participant_id'"),
        ((SEVEN + ",mode,mode", FIRST + ",a,a"), "column 'mode' stands twice"),
        ((SEVEN, FIRST, "P001,2,CAT_03"), r"row 3: 3 fields where the header has 7"),
        ((SEVEN, FIRST.replace("BASELINE", "calm")), r"row 2: condition 'calm' is not one of BASELINE, CATASTROPHIC"),
        ((SEVEN, FIRST.replace("BASE_01", "")), "row 2: no pair_id"),
        (
            (SEVEN, FIRST, SECOND.replace("CAT_03", "BASE_01")),
            r"row 3: BASE_01 has condition 'BASELINE' and 'CATASTROPHIC'",
        ),
        (
            (SEVEN, FIRST, FIRST.replace("NORMAL", "SOMETHINGS_OFF")),
            r"rows 2 and 3: participant P001 has two different",
        ),
        ((SEVEN, FIRST, FIRST.replace("8432", "8433")), r"rows 2 and 3: participant P001 has two different rows"),
        ((SEVEN, FIRST, SECOND.replace("P001,2", "P001,1")), r"rows 2 and 3: .* two stimuli at trial 1"),
        ((SEVEN, FIRST.replace("NORMAL", "maybe")), "no row holds an answer that can be counted"),
        ((SEVEN + ",drift_b", FIRST + ",high"), "drift_b 'high' is no number"),
        ((SEVEN + ",words_a", FIRST + ",1.5"), "words_a '1.5' is no count"),
        ((SEVEN + ",expected", FIRST + ",YES"), "expected 'YES' is not one of"),
        ((SEVEN + ",expected", FIRST + ",SOMETHINGS_OFF"), "and NORMAL by the protocol"),
        ((SEVEN + ",main_task_ms", FIRST + ",5000", SECOND + ",6000"), "P001 has main_task_ms '5000' and '6000'"),
        ((SEVEN + ",main_task_ms", FIRST + ",-1"), "give a number from 0 to 1,000,000,000,000"),
        ((SEVEN + ",main_task_ms", FIRST + "," + "9" * 20), "give a number from 0 to 1,000,000,000,000"),
        ((SEVEN + ",trials_planned", FIRST + ",1e30"), "give a number from 0 to 1,000,000"),
        ((SEVEN + ",words_a", FIRST + "," + "9" * 20), "is no count"),
        ((SEVEN + ",main_task_clock", FIRST + ",sundial"), "main_task_clock 'sundial'"),
        ((SEVEN + ",mode", FIRST + ",live", SECOND + ",pilot"), "the modes live, pilot, which are never pooled"),
    ],
)
def test_what_cannot_be_analyzed_is_refused_with_its_place(lines: tuple[str, ...], says: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("".join(line + "\n" for line in lines))
    with pytest.raises(DataError, match=says) as refusal:
        _read(path)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00P", b"PK\x03\x04\x00\x00\x08", b'a,b\n"x', b"\x89PNG\r\n\x1a\n\x00\x00"]
)
def test_a_file_that_is_no_table_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(content)
    with pytest.raises(DataError):
        _read(path)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read"):
        _read(tmp_path / "none.csv")


def _spoiled(tmp_path: Path, change: Callable[[str], str]) -> Collected:
    return _read(_file(tmp_path, SEVEN, FIRST, change(SECOND)))


def test_an_answer_outside_the_two_is_reported_and_not_counted(tmp_path: Path) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("SOMETHINGS_OFF", "maybe"))
    (problem,) = collected.problems
    assert (problem.reason, problem.count, problem.rule) == (
        "an answer outside the two",
        1,
        "the answer is not counted",
    )
    assert problem.examples == ("row 3: response 'maybe'",)
    assert collected.table.rows == 1
    assert judge_participants(collected.table, s3()).exclusions[0].first is ExclusionKind.INCOMPLETE


@pytest.mark.parametrize("number", ["0", "-1", "2.5", "second", "", "1000001", "9" * 20, "9" * 5000, "1e30", "inf"])
def test_a_trial_number_that_is_none_is_reported(number: str, tmp_path: Path) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("P001,2,", f"P001,{number},"))
    assert _problems(collected)["a trial number that is no whole number from 1 to 1,000,000"].examples == ("row 3",)
    assert collected.table.rows == 1


@pytest.mark.parametrize("column", ["attempt", "copies", "focus_losses"])
@pytest.mark.parametrize("text", ["lots", "-4", "1.5", "9" * 20])
def test_a_count_that_is_none_is_reported_and_the_answer_stays(column: str, text: str, tmp_path: Path) -> None:
    collected = _read(_file(tmp_path, f"{SEVEN},{column}", f"{FIRST},2", f"{SECOND},{text}"))
    problem = _problems(collected)[f"a number of {column} that is no whole number from 0 to 1,000,000"]
    assert (problem.count, problem.examples) == (1, ("row 3",))
    assert problem.rule == "the answer counts, this number does not"
    assert getattr(collected.table, column).tolist() == [2, NOT_KNOWN]
    assert _read(_file(tmp_path, f"{SEVEN},{column}", f"{FIRST},2", f"{SECOND},")).problems == ()


def test_a_trial_number_above_the_plan_is_reported_and_the_answer_counts(tmp_path: Path) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("P001,2,", "P001,24,"))
    problem = _problems(collected)["a trial number above the number of trials planned"]
    assert (problem.count, problem.rule, problem.examples) == (1, "the answer counts", ("row 3: trial 24 of 23",))
    assert collected.table.rows == 2
    assert _spoiled(tmp_path, lambda row: row.replace("P001,2,", "P001,23,")).problems == ()
    planned = _read(_file(tmp_path, f"{SEVEN},trials_planned", f"{FIRST},1", f"{SECOND},1"))
    (found,) = planned.problems
    assert found.examples == ("row 3: trial 2 of 1",)


def test_a_header_without_answers_is_not_ready(tmp_path: Path) -> None:
    with pytest.raises(NotReadyError, match=r"a header and no answers: .* at least 5 raters are needed"):
        _read(_file(tmp_path, SEVEN))


def test_the_reading_speed_of_each_trial_is_written(tmp_path: Path) -> None:
    stimuli = tuple(replace(s, words_a=None) if s.stimulus_id == "CAT_03" else s for s in some_stimuli())
    with _written(tmp_path, a_table([a_rater(response_time_ms=60_000)], stimuli=stimuli)).open(newline="") as file:
        speeds = {row["pair_id"]: row["words_per_minute"] for row in csv.DictReader(file)}
    assert (speeds["BASE_01"], speeds["CAT_03"], speeds["ATT_IDENTICAL"]) == ("490.0", "", "400.0")


def test_a_row_without_participant_is_reported(tmp_path: Path) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("P001", ""))
    assert _problems(collected)["a row without participant"].count == 1
    assert collected.table.participants.ids == ("P001",)


@pytest.mark.parametrize(("time", "reported"), [("-5", True), ("soon", True), ("nan", True), ("", False), ("0", False)])
def test_an_impossible_response_time_does_not_take_the_answer_with_it(
    time: str, reported: bool, tmp_path: Path
) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("9000", time))
    assert ("a response time that is negative or no number" in _problems(collected)) == reported
    assert collected.table.rows == 2
    assert collected.table.response_time_ms is not None
    assert int(collected.table.response_time_ms[1]) == (0 if time == "0" else NOT_KNOWN)


@pytest.mark.parametrize("time", ["9" * 20, "9223372036854775807", "1e30", "inf", "1000000001", "1000000000.6"])
@pytest.mark.parametrize("unit", [Unit.MILLISECONDS, Unit.SECONDS])
def test_an_endless_response_time_is_named_and_not_counted(time: str, unit: Unit, tmp_path: Path) -> None:
    path = _file(tmp_path, SEVEN, FIRST, SECOND.replace("9000", time))
    collected = _read(path, mapped=ColumnMap(time_unit=unit))
    problem = _problems(collected)["a response time of more than 1,000,000,000 ms (eleven days)"]
    assert (problem.count, problem.examples) == (1, ("row 3",))
    assert collected.table.response_time_ms is not None
    assert int(collected.table.response_time_ms[1]) == NOT_KNOWN
    assert collected.table.rows == 2


@pytest.mark.parametrize(
    ("stamp", "reason"),
    [
        ("2031-01-01T00:00:00Z", "a timestamp in the future"),
        ("yesterday", "a timestamp that is no time"),
        ("2025-13-41T99:00:00Z", "a timestamp that is no time"),
        ("300000-01-01T00:00:00Z", "a timestamp that is no time"),
        ("9999999-01-01T00:00:00Z", "a timestamp that is no time"),
        ("1066-10-14T09:00:00Z", "a timestamp before 1970"),
        ("0001-01-01T00:00:00+14:00", "a timestamp before 1970"),
        ("9999-12-31T23:59:59-12:00", "a timestamp in the future"),
    ],
)
def test_an_impossible_timestamp_does_not_take_the_answer_with_it(stamp: str, reason: str, tmp_path: Path) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("2025-12-28T14:33:15Z", stamp))
    problem = _problems(collected)[reason]
    assert (problem.count, problem.rule) == (1, "the answer counts, its time does not")
    assert collected.table.timestamp_us is not None
    assert int(collected.table.timestamp_us[1]) == NO_TIME
    assert main_task(collected.table).ms.tolist() == [NOT_KNOWN]


def test_a_zone_is_heeded_and_a_missing_one_reported(tmp_path: Path) -> None:
    collected = _spoiled(tmp_path, lambda row: row.replace("14:33:15Z", "15:33:15+01:00"))
    assert collected.problems == ()
    naive = _spoiled(tmp_path, lambda row: row.replace("14:33:15Z", "14:33:15"))
    assert _problems(naive)["a timestamp without a time zone"].rule == "it is taken as UTC"
    for table in (collected.table, naive.table):
        assert main_task(table).ms.tolist() == [68_432]


def test_a_repeated_row_is_counted_once(tmp_path: Path) -> None:
    collected = _read(_file(tmp_path, SEVEN, FIRST, SECOND, FIRST, FIRST))
    problem = _problems(collected)["a repeated row"]
    assert problem.count == 2
    assert problem.examples == ("row 4 repeats row 2", "row 5 repeats row 4")
    assert collected.table.rows == 2


def test_a_participant_without_plan_is_reported(tmp_path: Path) -> None:
    other = FIRST.replace("P001", "P002")
    collected = _read(_file(tmp_path, SEVEN + ",trials_planned", FIRST + ",2", SECOND + ",2", other + ","))
    problem = _problems(collected)["a participant without plan"]
    assert (problem.count, problem.examples) == (1, ("P002",))


def test_of_many_problems_the_first_five_are_shown(tmp_path: Path) -> None:
    rows = [f"P{k},1,BASE_01,BASELINE,perhaps,1,2025-12-28T14:32:15Z" for k in range(5000)]
    problem = _problems(_read(_file(tmp_path, SEVEN, FIRST, *rows)))["an answer outside the two"]
    assert problem.count == 5000
    assert [example.partition(":")[0] for example in problem.examples] == [f"row {k}" for k in range(3, 8)]


def test_modes_are_never_pooled(tmp_path: Path) -> None:
    other = SECOND.replace("P001", "P002")
    path = _file(tmp_path, SEVEN + ",mode", FIRST + ",live", other + ",pilot")
    live = _read(path, mode="live").table
    assert (live.mode, live.participants.ids, live.rows) == ("live", ("P001",), 1)
    with pytest.raises(DataError, match="no answers of mode simulated; the file has live, pilot"):
        _read(path, mode="simulated")


def test_blank_lines_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_bytes(("\ufeff" + "\r\n".join([SEVEN, FIRST, "", SECOND, "", ""])).encode())
    collected = _read(path)
    assert collected.table.rows == 2
    assert collected.problems == ()


def test_the_studys_own_material_goes_before_the_tables(tmp_path: Path) -> None:
    known = {s.stimulus_id: s for s in some_stimuli()}
    table = _read(_file(tmp_path, SEVEN, FIRST, SECOND), known=known).table
    assert len(table.stimuli) == 23
    assert table.stimuli[0].provider == "openai"
    with pytest.raises(DataError, match="CAT_77 is not among the study's pairs"):
        _read(_file(tmp_path, SEVEN, SECOND.replace("CAT_03", "CAT_77")), known=known)
    with pytest.raises(DataError, match="in the study CATASTROPHIC"):
        _read(_file(tmp_path, SEVEN, SECOND.replace("CATASTROPHIC", "BASELINE")), known=known)


def test_no_cell_can_be_run_by_a_spreadsheet(tmp_path: Path) -> None:
    stimuli = tuple(replace(s, provider="@SUM(A1)") for s in some_stimuli())
    table = a_table([a_rater()], ids=lambda n: "=cmd|' /C calc'!A0", stimuli=stimuli, mode="+live")
    with _written(tmp_path, table).open(newline="") as file:
        for row in csv.reader(file):
            assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row), row
    assert harmless("\tx") == "'\tx"


def test_the_file_has_the_ruled_columns_first(tmp_path: Path) -> None:
    header = _written(tmp_path, a_table([a_rater(fails=2)])).read_text().splitlines()[0].split(",")
    assert header[:16] == [
        *SEVEN.split(","),
        *("mode", "expected", "attention_pass", "excluded_first_rule"),
        *("drift_b", "provider", "words_a", "words_b", "attempt"),
    ]
    with _written(tmp_path, a_table([a_rater(fails=2)])).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["excluded_first_rule"] for row in rows} == {"attention"}
    checks = [(row["pair_id"], row["attention_pass"]) for row in rows if row["condition"] == "ATTENTION"]
    assert sorted(checks) == [("ATT_GIBBERISH", "false"), ("ATT_IDENTICAL", "false"), ("ATT_INSTRUCTION", "true")]
    assert {row["attention_pass"] for row in rows if row["condition"] != "ATTENTION"} == {""}


def test_further_columns_are_passed_on(tmp_path: Path) -> None:
    table = a_table([a_rater()])
    notes = np.array(["=x"] * table.rows, dtype=object)
    sizes = np.arange(table.rows)
    text = _written(tmp_path, replace(table, further={"input": notes, "viewport_width": sizes})).read_text()
    assert text.splitlines()[0].endswith(",input,viewport_width")
    assert text.splitlines()[1].endswith(",'=x,0")


def test_a_map_renames_columns_and_translates_words(tmp_path: Path) -> None:
    mapped = ColumnMap(
        delimiter=";",
        columns={"participant_id": "who", "timestamp": "when"},
        responses={"odd": "SOMETHINGS_OFF", "fine": "NORMAL"},
        conditions={"low": "BASELINE", "high": "CATASTROPHIC"},
        timestamp_format="%d.%m.%Y %H:%M",
        mode="pilot",
    )
    path = _file(
        tmp_path,
        "who;trial_number;pair_id;condition;response;response_time_ms;when",
        "ann;1;x;low; fine ;2000.4;28.12.2025 14:32",
        "ann;2;y;high;odd;3000;28.12.2025 14:33",
    )
    collected = _read(path, mapped=mapped)
    assert collected.table.off.tolist() == [False, True]
    assert collected.table.mode == "pilot"
    assert collected.table.response_time_ms is not None
    assert collected.table.response_time_ms.tolist() == [2000, 3000]
    assert main_task(collected.table).ms.tolist() == [62_000]
    assert _problems(collected)["a timestamp without a time zone"].count == 2


def test_the_metric_of_the_drift_is_written_and_read_back(tmp_path: Path) -> None:
    material = Material(metric="keyword-rms/limen-1", standing="protocol thresholds on Limen's lexicon")
    table = a_table([a_rater(shift=k) for k in range(2)])
    path = tmp_path / "raw_responses.csv"
    path.write_bytes(b"".join(raw_responses(table, (), material)))
    assert _read(path).material == material


def test_two_metrics_in_one_table_are_refused(tmp_path: Path) -> None:
    path = _file(tmp_path, f"{SEVEN},drift_metric", f"{FIRST},one", f"{SECOND},other")
    with pytest.raises(DataError, match=r"row 3: the table has drift_metric 'one' and 'other'; give one"):
        _read(path)


@pytest.mark.parametrize("planned", [False, True])
@pytest.mark.parametrize("stranger", ["of another mode", "left out", "nobody's", "no answer"])
def test_a_pair_that_no_rater_who_counts_has_answered_changes_nothing(
    tmp_path: Path, stranger: str, planned: bool
) -> None:
    people = [a_rater(2, 8, shift=k) for k in range(6)]
    lines = _rows_of(_written(tmp_path, a_table([*people, a_rater(9, 1, fails=3)])), planned=planned)
    counted = [line for line in lines if not line.startswith("P007")]
    extra = {
        "of another mode": [counted[1].replace("live", "pilot")],
        "left out": [*lines[len(counted) :], lines[-1]],
        "nobody's": [counted[1].replace("P001", "")],
        "no answer": [re.sub("NORMAL|SOMETHINGS_OFF", "MAYBE", counted[1])],
    }[stranger]
    extra[-1] = re.sub(r",\d+,[A-Z]+_\w+,[A-Z]+,", ",24,CAT_11,CATASTROPHIC,", extra[-1], count=1)
    alone = an_analysis(_read(_file(tmp_path, *counted), mode="live").table)
    found = an_analysis(_read(_file(tmp_path, *counted, *extra), mode="live").table)
    assert found.n.analyzed == 6
    for name in ("as_specified", "companions", "hypotheses", "outcome", "pairs"):
        assert getattr(found, name) == getattr(alone, name), name


def _rows_of(path: Path, *, planned: bool) -> list[str]:
    """Give a written file's lines with the instrument's columns, the mode and, if asked for, the plan."""
    names = [*SEVEN.split(","), "mode", *(["trials_planned"] if planned else [])]
    with path.open(newline="") as file:
        rows = [{**row, "mode": "live"} for row in csv.DictReader(file)]
    return [",".join(names), *(",".join(row[name] for name in names) for row in rows)]
