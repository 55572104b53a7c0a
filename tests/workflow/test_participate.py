"""Beginning, coming back, leases, finishing and stopping."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest

from limen.core.blinding import BlindedTrial
from limen.core.ordering import plan_session
from limen.core.protocol import ResumePolicy
from limen.core.sessions import DailyCount, Mode, Part, Session, Stage
from limen.core.tokens import token_digest, trial_token
from limen.workflow.answering import Reason, Refusal, Standing, Visit
from limen.workflow.participate import (
    Begun,
    NotQualified,
    begin,
    complete,
    look,
    release_lease,
    show_trial,
    stop,
    take_lease,
)
from limen.workflow.ports import Writing
from limen.workflow.record import note_painted, record_practice, record_trial
from limen.workflow.served import ServedStudy
from memory_store import MemoryStore
from studies import QUALIFIES, START, a_judgment, a_protocol, a_study, a_visit, applies

T = TypeVar("T")
TOKEN = "A" * 22


def write(store: MemoryStore, work: Callable[[Writing], T]) -> T:
    return store.submit(work).result()


def begun(study: ServedStudy, token: str = TOKEN, **changes: object) -> MemoryStore:
    store = MemoryStore()
    result = write(store, lambda desk: begin(desk, study, a_visit(token), applies(study, **changes)))
    assert isinstance(result, Begun)
    assert result.token == token
    return store


def answer(store: MemoryStore, trials: int, *, first: int = 1) -> None:
    def work(desk: Writing) -> None:
        for n in (1, 2):
            record_practice(desk, a_visit(TOKEN), n, a_judgment())
        for n in range(first, trials + 1):
            record_trial(desk, a_visit(TOKEN), n, a_judgment())

    write(store, work)


def session_of(store: MemoryStore, token: str = TOKEN) -> Session:
    session = store.read(lambda reading: reading.session(token_digest(token)))
    assert session is not None
    return session


def reason(result: object) -> Reason | None:
    return result.reason if isinstance(result, Refusal) else None


def looked(store: MemoryStore, study: ServedStudy, visit: Visit) -> Standing | Refusal:
    return store.read(lambda reading: look(reading, study, visit))


def test_a_participant_begins_with_practice_under_the_next_number_and_the_order_that_belongs_to_it() -> None:
    study = a_study()
    store = MemoryStore()
    for k in range(1, 4):
        write(store, lambda desk, k=k: begin(desk, study, a_visit(f"{k:022d}"), applies(study)))  # type: ignore[misc]
    sessions = store.read(lambda reading: reading.sessions(Mode.LIVE))
    assert [session.participant for session in sessions] == ["P001", "P002", "P003"]
    for session in sessions:
        expected = plan_session(study.protocol, study.stimuli, f"order/{session.number}")
        assert session.plan == expected.stimulus_ids
        assert session.stage is Stage.PRACTICE
    assert len({session.plan for session in sessions}) == 3


def test_modes_are_numbered_and_ordered_apart() -> None:
    study = a_study()
    store = MemoryStore()
    for mode in Mode:
        visit = a_visit(f"{list(Mode).index(mode):022d}")
        write(store, lambda desk, v=visit, m=mode: begin(desk, study, v, applies(study, mode=m)))  # type: ignore[misc]
    plans = [store.read(lambda reading, m=mode: reading.sessions(m)) for mode in Mode]  # type: ignore[misc]
    assert [[session.number for session in sessions] for sessions in plans] == [[1]] * 4
    assert len({sessions[0].plan for sessions in plans}) == 4


@pytest.mark.parametrize("question", list(QUALIFIES))
def test_who_does_not_qualify_is_counted_and_nothing_else_is_kept(question: str) -> None:
    study, store = a_study(), MemoryStore()
    other = {"yes": "no", "no": "yes"}[QUALIFIES[question]]
    application = applies(study, screening={**QUALIFIES, question: other})
    assert write(store, lambda desk: begin(desk, study, a_visit(TOKEN), application)) == NotQualified()
    assert store.read(lambda reading: reading.counts(Mode.LIVE)) == {DailyCount.SCREENED_OUT: 1}
    assert store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()


def test_an_application_that_does_not_fit_is_refused_and_not_counted() -> None:
    study, store = a_study(), MemoryStore()
    for changes, expected in (
        ({"consent_version": "old"}, Reason.CONSENT_CHANGED),
        ({"screening": {}}, Reason.SCREENING_INCOMPLETE),
        ({"screening": {**QUALIFIES, "more": "yes"}}, Reason.SCREENING_INCOMPLETE),
    ):
        application = applies(study, **changes)
        result = write(store, lambda desk, a=application: begin(desk, study, a_visit(TOKEN), a))  # type: ignore[misc]
        assert reason(result) is expected
    pilot = a_study(live=False)
    assert reason(write(store, lambda desk: begin(desk, pilot, a_visit(TOKEN), applies(pilot)))) is Reason.NOT_LIVE
    assert store.read(lambda reading: reading.counts(Mode.LIVE)) == {}


def test_an_application_sent_twice_begins_one_session_with_one_token() -> None:
    study = a_study()
    store = begun(study, request="request-1")

    def apply_again(tab: str = "tab-1") -> object:
        visit = a_visit("B" * 22, tab=tab)
        return write(store, lambda desk: begin(desk, study, visit, applies(study, request="request-1")))

    first = apply_again()
    assert isinstance(first, Begun)
    assert first.token == TOKEN
    assert len(store.read(lambda reading: reading.sessions(Mode.LIVE))) == 1
    assert isinstance(looked(store, study, a_visit(TOKEN)), Standing), "a late copy takes nothing from who has begun"
    assert reason(looked(store, study, a_visit("B" * 22))) is Reason.UNKNOWN_SESSION
    moved = apply_again("tab-2")
    assert isinstance(moved, Begun)
    assert moved.standing.lease
    apply_again("tab-1")
    write(store, lambda desk: record_practice(desk, a_visit(TOKEN), 1, a_judgment()))
    assert reason(apply_again()) is Reason.ALREADY_BEGUN


def test_a_trial_is_shown_when_it_is_near_and_never_otherwise() -> None:
    study = a_study()
    store = begun(study)
    answer(store, 3)
    plan = session_of(store).plan
    for number in range(-1, 26):
        result = store.read(lambda reading, n=number: show_trial(reading, study, TOKEN, n))  # type: ignore[misc]
        if 4 <= number <= 9:
            texts = study.texts[plan[number - 1]]
            assert isinstance(result, BlindedTrial)
            assert (result.context, result.response_a) == (texts.context, texts.response_a)
            assert result.token == trial_token(TOKEN, number)
        elif number < 1 or number > 23:
            assert reason(result) is Reason.NO_SUCH_TRIAL
        else:
            assert isinstance(result, Refusal)
            assert result.reason is (Reason.ALREADY_ANSWERED if number < 4 else Reason.TOO_EARLY)
            assert result.expected == 4


def test_trials_may_be_fetched_during_practice() -> None:
    study = a_study()
    store = begun(study)
    assert isinstance(store.read(lambda reading: show_trial(reading, study, TOKEN, 1)), BlindedTrial)


def test_a_session_is_finished_when_all_is_answered_and_only_then() -> None:
    study = a_study()
    store = begun(study)
    answer(store, 22)
    early = write(store, lambda desk: complete(desk, a_visit(TOKEN), None))
    assert isinstance(early, Refusal)
    assert (early.reason, early.expected) == (Reason.INCOMPLETE, 23)
    answer(store, 23, first=23)
    first = write(store, lambda desk: complete(desk, a_visit(TOKEN), 1234))
    again = write(store, lambda desk: complete(desk, a_visit(TOKEN, after=timedelta(hours=1)), None))
    assert isinstance(first, Standing)
    assert first == again
    assert first.stage is Stage.DONE
    assert first.completion_code is not None
    assert first.withdrawal_code is not None
    session = session_of(store)
    assert (session.finished, session.page_task_ms) == (START, 1234)


def test_codes_are_given_to_nobody_who_has_not_finished() -> None:
    study = a_study()
    store = begun(study)
    answer(store, 23)
    standing = looked(store, study, a_visit(TOKEN))
    assert isinstance(standing, Standing)
    assert (standing.stage, standing.completion_code, standing.withdrawal_code) == (Stage.DEBRIEF, None, None)


def test_who_comes_back_after_finishing_sees_the_thanks_again_whenever_and_under_every_policy() -> None:
    for policy in ResumePolicy:
        study = a_study(a_protocol(on_return=policy))
        store = begun(study)
        answer(store, 23)
        write(store, lambda desk: complete(desk, a_visit(TOKEN), None))
        later = looked(store, study, a_visit(TOKEN, tab="tab-9", after=timedelta(days=400)))
        assert isinstance(later, Standing)
        assert later.completion_code is not None


@pytest.mark.parametrize(
    ("policy", "expected"),
    [(ResumePolicy.RESUME, None), (ResumePolicy.RESTART, Reason.RESTART), (ResumePolicy.BLOCK, Reason.BLOCKED)],
)
def test_who_comes_back_meets_the_policy_and_a_reload_is_no_return(
    policy: ResumePolicy, expected: Reason | None
) -> None:
    study = a_study(a_protocol(on_return=policy))
    store = begun(study)
    answer(store, 5)
    write(store, lambda desk: release_lease(desk, a_visit(TOKEN)))
    assert reason(looked(store, study, a_visit(TOKEN))) is None  # a reload keeps the tab
    back = a_visit(TOKEN, tab="tab-2", after=timedelta(hours=1))
    assert reason(looked(store, study, back)) is expected
    taken = write(store, lambda desk: take_lease(desk, study, back, take_over=False))
    assert reason(taken) is expected
    if expected is None:
        assert isinstance(taken, Standing)
        assert (taken.lease, taken.next_trial) == (True, 6)


def test_a_session_that_is_too_old_is_not_resumed() -> None:
    study = a_study(a_protocol(hours=2))
    store = begun(study)
    for after, expected in ((timedelta(hours=2), None), (timedelta(hours=2, seconds=1), Reason.TOO_OLD)):
        assert reason(looked(store, study, a_visit(TOKEN, after=after))) is expected
        late = a_visit(TOKEN, after=after)
        taken = write(store, lambda desk, v=late: take_lease(desk, study, v, take_over=True))  # type: ignore[misc]
        assert reason(taken) is expected


def test_answers_that_waited_for_a_line_are_taken_however_late() -> None:
    study = a_study(a_protocol(hours=1))
    store = begun(study)
    answer(store, 3)
    late = a_visit(TOKEN, after=timedelta(days=5))
    assert not isinstance(write(store, lambda desk: record_trial(desk, late, 4, a_judgment())), Refusal)


def test_a_second_tab_is_told_and_may_take_over() -> None:
    study = a_study()
    store = begun(study)
    second = a_visit(TOKEN, tab="tab-2")
    standing = looked(store, study, second)
    assert isinstance(standing, Standing)
    assert not standing.lease
    asked = write(store, lambda desk: take_lease(desk, study, second, take_over=False))
    assert reason(asked) is Reason.HELD_ELSEWHERE
    taken = write(store, lambda desk: take_lease(desk, study, second, take_over=True))
    assert isinstance(taken, Standing)
    assert taken.lease
    first = looked(store, study, a_visit(TOKEN))
    assert isinstance(first, Standing)
    assert not first.lease
    assert reason(write(store, lambda desk: record_practice(desk, a_visit(TOKEN), 1, a_judgment()))) is (
        Reason.HELD_ELSEWHERE
    )
    assert reason(write(store, lambda desk: record_practice(desk, second, 1, a_judgment()))) is None


@pytest.mark.parametrize("policy", [ResumePolicy.RESTART, ResumePolicy.BLOCK])
def test_taking_over_is_coming_back(policy: ResumePolicy) -> None:
    study = a_study(a_protocol(on_return=policy))
    store = begun(study)
    second = a_visit(TOKEN, tab="tab-2")
    assert isinstance(looked(store, study, second), Standing)
    taken = write(store, lambda desk: take_lease(desk, study, second, take_over=True))
    assert reason(taken) in (Reason.RESTART, Reason.BLOCKED)


def test_letting_go_leaves_another_tabs_hold_alone_and_an_answer_on_its_way_is_taken() -> None:
    study = a_study()
    store = begun(study)
    write(store, lambda desk: release_lease(desk, a_visit(TOKEN, tab="tab-2")))
    assert session_of(store).held
    write(store, lambda desk: release_lease(desk, a_visit(TOKEN)))
    assert not session_of(store).held
    assert reason(write(store, lambda desk: record_practice(desk, a_visit(TOKEN), 1, a_judgment()))) is None


def test_stopping_with_the_answers_kept_ends_the_session() -> None:
    study = a_study()
    store = begun(study)
    answer(store, 4)
    for _ in range(2):
        standing = write(store, lambda desk: stop(desk, a_visit(TOKEN), keep=True))
        assert isinstance(standing, Standing)
        assert standing.stage is Stage.STOPPED
        assert (standing.completion_code, standing.withdrawal_code is None) == (None, False)
    session = session_of(store)
    assert len(store.read(lambda reading: reading.records(session, Part.TRIALS))) == 4
    assert reason(write(store, lambda desk: record_trial(desk, a_visit(TOKEN), 5, a_judgment()))) is Reason.STOPPED
    assert reason(write(store, lambda desk: complete(desk, a_visit(TOKEN), None))) is Reason.STOPPED
    assert reason(store.read(lambda reading: show_trial(reading, study, TOKEN, 5))) is Reason.STOPPED


def test_stopping_with_the_answers_deleted_leaves_counts_and_stays_stopped() -> None:
    study = a_study()
    store = begun(study)
    write(store, lambda desk: note_painted(desk, a_visit(TOKEN), START))
    answer(store, 4)
    for _ in range(2):
        standing = write(store, lambda desk: stop(desk, a_visit(TOKEN), keep=False))
        assert isinstance(standing, Standing)
        assert standing.stage is Stage.STOPPED
    assert store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()
    assert store.read(lambda reading: reading.counts(Mode.LIVE)) == {
        DailyCount.WITHDRAWN: 1,
        DailyCount.WITHDRAWN_STARTED: 1,
    }
    assert reason(looked(store, study, a_visit(TOKEN))) is Reason.WITHDRAWN
    assert reason(write(store, lambda desk: record_trial(desk, a_visit(TOKEN), 5, a_judgment()))) is Reason.WITHDRAWN
    assert reason(write(store, lambda desk: stop(desk, a_visit(TOKEN), keep=True))) is Reason.WITHDRAWN


def test_a_session_of_other_stimuli_is_not_resumed() -> None:
    study = a_study()
    store = begun(study, mode=Mode.PILOT)
    changed = replace(study, digest="another")
    assert reason(looked(store, changed, a_visit(TOKEN))) is Reason.STUDY_CHANGED
    assert reason(store.read(lambda reading: show_trial(reading, changed, TOKEN, 1))) is Reason.STUDY_CHANGED


def test_an_unknown_token_finds_nothing() -> None:
    study, store = a_study(), MemoryStore()
    visit = a_visit("C" * 22)
    assert reason(looked(store, study, visit)) is Reason.UNKNOWN_SESSION
    assert reason(write(store, lambda desk: take_lease(desk, study, visit, take_over=True))) is Reason.UNKNOWN_SESSION
    assert reason(write(store, lambda desk: release_lease(desk, visit))) is Reason.UNKNOWN_SESSION
    assert reason(write(store, lambda desk: complete(desk, visit, None))) is Reason.UNKNOWN_SESSION
    assert reason(write(store, lambda desk: stop(desk, visit, keep=False))) is Reason.UNKNOWN_SESSION
