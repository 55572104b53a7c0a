"""The researcher's blinded numbers."""

import json
from dataclasses import asdict

from limen.core.sessions import DailyCount, Mode, Stage
from limen.workflow.oversee import nothing_yet, oversee
from limen.workflow.participate import begin, stop
from limen.workflow.ports import Writing
from limen.workflow.record import count_visitor, note_painted, record_practice, record_trial
from memory_store import MemoryStore
from studies import START, a_judgment, a_study, a_visit, applies, forbidden_values

STUDY = a_study()


def a_running_study() -> MemoryStore:
    store = MemoryStore()

    def work(desk: Writing) -> None:
        for what, times in ((DailyCount.LANDED, 5), (DailyCount.CONSENTED, 4), (DailyCount.DECLINED, 1)):
            for _ in range(times):
                count_visitor(desk, Mode.LIVE, what, START)
        for k in range(3):
            begin(desk, STUDY, a_visit(f"{k:022d}"), applies(STUDY))
        visit = a_visit(f"{0:022d}")
        for n in (1, 2):
            record_practice(desk, visit, n, a_judgment())
        note_painted(desk, visit, START)
        record_trial(desk, visit, 1, a_judgment())
        stop(desk, a_visit(f"{2:022d}"), keep=True)

    store.submit(work).result()
    return store


def test_the_way_through_the_study_is_counted() -> None:
    overview = a_running_study().read(lambda reading: oversee(reading, STUDY.protocol, START))
    live = overview.of(Mode.LIVE)
    assert overview.target_raters == 10
    assert (live.landed, live.consented, live.declined, live.screened_in) == (5, 4, 1, 3)
    assert (live.started, live.finished, live.stopped, live.withdrawn) == (1, 0, 1, 0)
    assert {(one.participant, one.stage, one.answered) for one in live.under_way} == {
        ("P001", Stage.TRIALS, 1),
        ("P002", Stage.PRACTICE, 0),
    }
    assert overview.of(Mode.PILOT).screened_in == 0


def test_nothing_in_it_tells_a_condition() -> None:
    overview = a_running_study().read(lambda reading: oversee(reading, STUDY.protocol, START))
    text = json.dumps(asdict(overview), default=str)
    assert [value for value in forbidden_values(STUDY) if value in text] == []
    assert "response" not in text


def test_before_the_first_visitor_everything_is_zero() -> None:
    empty = MemoryStore().read(lambda reading: oversee(reading, STUDY.protocol, START))
    assert empty == nothing_yet(STUDY.protocol)
