"""What every store promises: in memory, on SQLite and on PostgreSQL alike."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import fields, replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.judgment import Attempt, InputKind, Response
from limen.core.sessions import (
    DailyCount,
    DebriefQuestion,
    DemographicsAnswer,
    Enrolment,
    EventKind,
    Mode,
    Part,
    Screen,
    Session,
    Source,
    StrategyAnswer,
    TrialRecord,
)
from limen.storage.rows import from_us, to_us
from limen.storage.store import open_store
from limen.workflow.ports import AnswerCount, Store, TrialColumns, Writing
from memory_store import MemoryStore
from studies import START, a_judgment

T = TypeVar("T")


@pytest.fixture(params=["memory", "sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
        return
    address = f"sqlite:///{tmp_path / 'answers.sqlite'}"
    if request.param == "postgresql":
        address = request.getfixturevalue("new_postgres_database")()
    with open_store(address) as opened:
        yield opened


def an_enrolment(number: int = 1, mode: Mode = Mode.LIVE, **changes: object) -> Enrolment:
    enrolment = Enrolment(
        mode=mode,
        number=number,
        source=Source.SERVER,
        plan=("CAT_01", "BASE_02", "ATT_IDENTICAL"),
        practice_count=2,
        stimulus_digest="digest",
        consent_version="consent",
        created=START,
        tab="tab-1",
        token_digest=f"token {mode} {number}",
        withdrawal_digest=f"code {mode} {number}",
    )
    return replace(enrolment, **changes)  # type: ignore[arg-type]


def a_record(number: int, response: Response = Response.NORMAL, **changes: object) -> TrialRecord:
    judgment = a_judgment(response, **changes)
    return TrialRecord(
        number=number, stimulus_id=f"BASE_{number:02d}", judgment=judgment, received=START + timedelta(minutes=number)
    )


def write(store: Store, work: Callable[[Writing], T]) -> T:
    return store.submit(work).result(10)


def enrolled(store: Store, number: int = 1, mode: Mode = Mode.LIVE, **changes: object) -> Session:
    return write(store, lambda desk: desk.enrol(an_enrolment(number, mode, **changes)))


def count(store: Store, on: date) -> None:
    write(store, lambda desk: desk.count(Mode.LIVE, on, DailyCount.LANDED))


def add_trial(store: Store, session: Session, record: TrialRecord) -> bool:
    return write(store, lambda desk: desk.add_record(session, Part.TRIALS, record))


def found(store: Store, number: int = 1, mode: Mode = Mode.LIVE) -> Session:
    session = store.read(lambda reading: reading.session(f"token {mode} {number}"))
    assert session is not None
    return session


def test_a_session_comes_back_as_it_was_stored(store: Store) -> None:
    session = enrolled(store, plan_code="K7QX", source=Source.STATIC, held=False)
    assert found(store) == session
    assert session.plan == ("CAT_01", "BASE_02", "ATT_IDENTICAL")
    assert session.created == START
    assert (session.participant, session.plan_code, session.held) == ("P001", "K7QX", False)
    assert store.read(lambda reading: reading.session("token live 2")) is None


def test_numbers_run_from_one_in_each_mode_and_are_never_given_twice(store: Store) -> None:
    given = [write(store, lambda desk: desk.next_number(Mode.LIVE)) for _ in range(3)]
    given += [write(store, lambda desk: desk.next_number(Mode.PILOT))]
    assert given == [1, 2, 3, 1]
    session = enrolled(store, 3)
    write(store, lambda desk: desk.forget(session, START.date()))
    assert write(store, lambda desk: desk.next_number(Mode.LIVE)) == 4


def test_the_first_answer_to_a_trial_stays(store: Store) -> None:
    session = enrolled(store)
    assert write(store, lambda desk: desk.add_record(session, Part.TRIALS, a_record(1, Response.SOMETHINGS_OFF)))
    assert not write(store, lambda desk: desk.add_record(session, Part.TRIALS, a_record(1, Response.NORMAL)))
    stored = store.read(lambda reading: reading.records(session, Part.TRIALS))
    assert [record.judgment.response for record in stored] == [Response.SOMETHINGS_OFF]
    assert store.read(lambda reading: reading.response(session, Part.TRIALS, 1)) is Response.SOMETHINGS_OFF
    assert store.read(lambda reading: reading.response(session, Part.TRIALS, 2)) is None


def test_of_many_who_write_the_same_trial_at_once_one_is_first(store: Store) -> None:
    session = enrolled(store)
    futures: list[Future[bool]] = []
    lock = threading.Lock()

    def send(k: int) -> None:
        record = a_record(1, list(Response)[k % 2])
        future = store.submit(lambda desk: desk.add_record(session, Part.TRIALS, record))
        with lock:
            futures.append(future)

    threads = [threading.Thread(target=send, args=(k,)) for k in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(future.result(10) for future in futures) == 1
    assert len(store.read(lambda reading: reading.records(session, Part.TRIALS))) == 1


def test_an_answer_comes_back_with_everything_that_was_recorded(store: Store) -> None:
    session = enrolled(store)
    record = a_record(
        1,
        Response.SOMETHINGS_OFF,
        response_time_ms=30 * 24 * 3600 * 1000,
        client_time=START + timedelta(microseconds=7),
        queued_offline=True,
        attempts=(
            Attempt(visible_ms=1, hidden_ms=2_592_000_000, started=START),
            Attempt(visible_ms=3, hidden_ms=4, started=START + timedelta(microseconds=1)),
        ),
        focus_losses=3,
        focus_lost_ms=2_592_000_000,
        copies=1,
        b_seen=0.123456789,
        input=InputKind.TOUCH,
        viewport_width=100_000,
        viewport_height=0,
    )
    write(store, lambda desk: desk.add_record(session, Part.TRIALS, record))
    assert store.read(lambda reading: reading.records(session, Part.TRIALS)) == (record,)


def test_practice_stands_apart_from_the_trials(store: Store) -> None:
    session = enrolled(store)
    write(store, lambda desk: desk.add_record(session, Part.PRACTICE, a_record(1)))
    write(store, lambda desk: desk.add_record(session, Part.PRACTICE, a_record(2)))
    write(store, lambda desk: desk.add_record(session, Part.TRIALS, a_record(1)))
    now = found(store)
    assert (now.practiced, now.answered) == (2, 1)
    assert len(store.read(lambda reading: reading.records(session, Part.PRACTICE))) == 2
    (columns,) = store.read(lambda reading: list(reading.trials(Mode.LIVE, "digest")))
    assert len(columns.trial_number) == 1


def test_what_is_noted_once_is_not_noted_again(store: Store) -> None:
    session = enrolled(store)
    later = START + timedelta(minutes=1)
    assert write(store, lambda desk: desk.note_painted(session, START, later))
    again = found(store)
    assert again.painted == START
    assert not write(store, lambda desk: desk.note_painted(again, later, later))
    assert write(store, lambda desk: desk.add_screen(session, Screen.CONSENT, 1200, START))
    assert not write(store, lambda desk: desk.add_screen(session, Screen.CONSENT, 1300, START))
    assert write(store, lambda desk: desk.add_comment(session, "a ‘comment’\n日本", START))
    assert not write(store, lambda desk: desk.add_comment(session, "another", START))
    assert store.read(lambda reading: reading.comments(Mode.LIVE)) == [(1, "a ‘comment’\n日本")]
    assert store.read(lambda reading: reading.comments(Mode.PILOT)) == []


def test_debrief_answers_come_back(store: Store) -> None:
    session = enrolled(store)
    strategy = StrategyAnswer(options=(0, 5), other="“gut” \u200f feeling", skipped=False)
    demographics = DemographicsAnswer(age=None, use=2, skipped=False)
    assert write(store, lambda desk: desk.add_debrief(session, DebriefQuestion.STRATEGY, strategy, START))
    assert not write(
        store, lambda desk: desk.add_debrief(session, DebriefQuestion.STRATEGY, replace(strategy, other=""), START)
    )
    assert found(store).debriefed == (DebriefQuestion.STRATEGY,)
    write(store, lambda desk: desk.add_debrief(session, DebriefQuestion.DEMOGRAPHICS, demographics, START))
    assert found(store).debriefed == (DebriefQuestion.STRATEGY, DebriefQuestion.DEMOGRAPHICS)
    assert sorted(store.read(lambda reading: reading.debriefs(Mode.LIVE)), key=str) == sorted(
        [(1, strategy), (1, demographics)], key=str
    )


def test_lease_finish_and_stop_are_kept(store: Store) -> None:
    one, other = enrolled(store, 1), enrolled(store, 2)
    write(store, lambda desk: desk.set_lease(one, "tab-2", held=False))
    write(store, lambda desk: desk.finish(one, START, page_task_ms=123, completion_code="CODE"))
    write(store, lambda desk: desk.stop(other, START + timedelta(seconds=1)))
    finished, stopped = found(store, 1), found(store, 2)
    assert (finished.tab, finished.held, finished.finished, finished.page_task_ms) == ("tab-2", False, START, 123)
    assert stopped.stopped == START + timedelta(seconds=1)


def test_a_session_is_found_by_the_request_that_began_it_and_keeps_its_sealed_token(store: Store) -> None:
    session = enrolled(store, request_digest="request", sealed_token="sealed")
    other = enrolled(store, 2)
    assert write(store, lambda desk: desk.session_of_request("request")) == session
    assert write(store, lambda desk: desk.session_of_request("other")) is None
    assert write(store, lambda desk: desk.sealed_token(session)) == "sealed"
    assert write(store, lambda desk: desk.sealed_token(other)) is None


def test_a_forgotten_session_leaves_nothing_but_that_it_is_gone(store: Store) -> None:
    session, other = enrolled(store, 1), enrolled(store, 2)

    def fill(desk: Writing) -> None:
        for one in (session, other):
            desk.add_record(one, Part.TRIALS, a_record(1))
            desk.add_record(one, Part.PRACTICE, a_record(1))
            desk.add_event(one, EventKind.STARTED, START)
            desk.add_comment(one, "text", START)
            desk.add_screen(one, Screen.THANKS, 1, START)

    write(store, fill)
    write(store, lambda desk: desk.forget(session, START.date()))
    assert store.read(lambda reading: reading.session("token live 1")) is None
    assert store.read(lambda reading: reading.session_to_withdraw("code live 1")) is None
    assert store.read(lambda reading: reading.withdrawn("token live 1"))
    assert store.read(lambda reading: reading.withdrawn_by("code live 1"))
    assert not store.read(lambda reading: reading.withdrawn("token live 2"))
    assert store.read(lambda reading: reading.records(session, Part.TRIALS)) == ()
    assert store.read(lambda reading: reading.records(session, Part.PRACTICE)) == ()
    assert len(store.read(lambda reading: reading.records(other, Part.TRIALS))) == 1


def test_counts_add_up_over_days_and_modes_stay_apart(store: Store) -> None:
    for day in (0, 0, 1):
        on = (START + timedelta(days=day)).date()
        count(store, on)
    write(store, lambda desk: desk.count(Mode.PILOT, START.date(), DailyCount.LANDED))
    write(store, lambda desk: desk.count(Mode.LIVE, START.date(), DailyCount.DECLINED))
    assert store.read(lambda reading: reading.counts(Mode.LIVE)) == {DailyCount.LANDED: 3, DailyCount.DECLINED: 1}
    assert store.read(lambda reading: reading.counts(Mode.PILOT)) == {DailyCount.LANDED: 1}
    assert store.read(lambda reading: reading.counts(Mode.PREVIEW)) == {}


def test_milestones_and_sessions_under_way(store: Store) -> None:
    for number in range(1, 6):
        enrolled(store, number, created=START + timedelta(hours=number))
    one, two, three = found(store, 1), found(store, 2), found(store, 3)
    write(store, lambda desk: desk.note_painted(one, START + timedelta(hours=9), START))
    write(store, lambda desk: desk.finish(two, START, page_task_ms=None, completion_code=None))
    write(store, lambda desk: desk.stop(three, START))
    write(store, lambda desk: desk.add_record(two, Part.TRIALS, a_record(1)))
    reached = store.read(lambda reading: reading.milestones(Mode.LIVE))
    assert (reached.created, reached.started, reached.finished, reached.stopped) == (5, 2, 1, 1)
    empty = store.read(lambda reading: reading.milestones(Mode.PILOT))
    assert (empty.created, empty.started, empty.finished, empty.stopped) == (0, 0, 0, 0)
    enrolled(store, 6, plan_code="K7QX", source=Source.STATIC)
    assert [store.read(lambda reading: reading.milestones(Mode.LIVE)).from_files, reached.from_files] == [1, 0]
    heard = store.read(lambda reading: reading.under_way(Mode.LIVE, START + timedelta(hours=1), 50))
    assert [(one.session.number, one.last) for one in heard] == [
        (1, START + timedelta(hours=9)),
        (5, START + timedelta(hours=5)),
        (4, START + timedelta(hours=4)),
    ]
    recent = store.read(lambda reading: reading.under_way(Mode.LIVE, START + timedelta(hours=5), 50))
    assert [one.session.number for one in recent] == [5]
    assert len(store.read(lambda reading: reading.under_way(Mode.LIVE, START, 1))) == 1


def test_trials_come_as_columns_in_order_of_participant_and_trial(store: Store) -> None:
    for number in (2, 1, 3):
        session = enrolled(store, number, stimulus_digest="other" if number == 3 else "digest")
        for n in (1, 2):
            add_trial(store, session, a_record(n, copies=n))
    pilot = enrolled(store, 1, Mode.PILOT)
    write(store, lambda desk: desk.add_record(pilot, Part.TRIALS, a_record(1)))
    (columns,) = store.read(lambda reading: list(reading.trials(Mode.LIVE, "digest")))
    assert columns.participant_number == (1, 1, 2, 2)
    assert columns.trial_number == (1, 2, 1, 2)
    assert columns.stimulus_id == ("BASE_01", "BASE_02", "BASE_01", "BASE_02")
    assert columns.response == ("NORMAL",) * 4
    assert columns.copies == (1, 2, 1, 2)
    assert columns.received_us[0] == to_us(START + timedelta(minutes=1))
    assert columns.page_ms == (20_500,) * 4
    assert columns.queued_offline == (False,) * 4
    assert {len(getattr(columns, f.name)) for f in fields(TrialColumns)} == {4}
    assert store.read(lambda reading: list(reading.trials(Mode.PREVIEW, "digest"))) == []
    assert store.read(lambda reading: reading.stimulus_digests(Mode.LIVE)) == {"digest": 2, "other": 1}


def test_answers_are_counted_by_groups_of_stimuli(store: Store) -> None:
    groups = {"first": ["BASE_01"], "others": ["BASE_02", "BASE_03"], "none": ["CAT_01"]}
    empty = AnswerCount(off=0, n=0)
    assert store.read(lambda reading: reading.answer_counts(Mode.LIVE, "digest", groups)) == dict.fromkeys(
        groups, empty
    )
    for number in (1, 2):
        session = enrolled(store, number)
        for n in (1, 2, 3):
            off = Response.SOMETHINGS_OFF if n == number else Response.NORMAL
            add_trial(store, session, a_record(n, response=off))
    assert store.read(lambda reading: reading.answer_counts(Mode.LIVE, "digest", groups)) == {
        "first": AnswerCount(off=1, n=2),
        "others": AnswerCount(off=1, n=4),
        "none": empty,
    }


def test_work_that_fails_changes_nothing_and_the_work_beside_it_is_done(store: Store) -> None:
    def half(desk: Writing) -> None:
        desk.enrol(an_enrolment(1))
        raise ZeroDivisionError

    before = store.submit(lambda desk: desk.enrol(an_enrolment(2)))
    failing = store.submit(half)
    after = store.submit(lambda desk: desk.enrol(an_enrolment(3)))
    assert before.result(10).number == 2
    with pytest.raises(ZeroDivisionError):
        failing.result(10)
    assert after.result(10).number == 3
    assert [s.number for s in store.read(lambda reading: reading.sessions(Mode.LIVE))] == [2, 3]
    assert store.healthy()


@given(st.datetimes(timezones=st.just(START.tzinfo)))
def test_a_time_comes_back_from_microseconds_exactly(time: datetime) -> None:
    assert from_us(to_us(time)) == time
