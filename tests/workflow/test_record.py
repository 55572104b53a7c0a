"""First write wins, in order, once: whatever is sent, repeated, shuffled or contradicted."""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limen.core.judgment import Response
from limen.core.sessions import (
    DebriefAnswer,
    DebriefQuestion,
    DemographicsAnswer,
    Mode,
    Part,
    Screen,
    Session,
    StrategyAnswer,
)
from limen.core.tokens import token_digest
from limen.workflow.answering import Reason, Recorded, Refusal
from limen.workflow.participate import begin, complete
from limen.workflow.ports import Writing
from limen.workflow.record import (
    note_painted,
    note_screen,
    record_comment,
    record_debrief,
    record_practice,
    record_trial,
)
from memory_store import MemoryStore
from studies import START, a_judgment, a_study, a_visit, applies

T = TypeVar("T")
TOKEN = "A" * 22
STUDY = a_study()


def write(store: MemoryStore, work: Callable[[Writing], T]) -> T:
    return store.submit(work).result()


def begun(mode: Mode = Mode.LIVE, *, practiced: bool = True) -> MemoryStore:
    store = MemoryStore()

    def work(desk: Writing) -> None:
        begin(desk, STUDY, a_visit(TOKEN), applies(STUDY, mode=mode))
        if practiced:
            for n in (1, 2):
                record_practice(desk, a_visit(TOKEN), n, a_judgment())

    write(store, work)
    return store


def session_of(store: MemoryStore) -> Session:
    session = store.read(lambda reading: reading.session(token_digest(TOKEN)))
    assert session is not None
    return session


def answer(store: MemoryStore, number: int, response: Response, tab: str = "tab-1") -> Recorded | Refusal:
    return write(store, lambda desk: record_trial(desk, a_visit(TOKEN, tab=tab), number, a_judgment(response)))


@given(st.lists(st.tuples(st.integers(0, 25), st.sampled_from(Response), st.sampled_from(["tab-1", "tab-2"]))))
def test_whatever_is_sent_the_stored_trials_are_the_first_accepted_ones_in_order(
    sent: list[tuple[int, Response, str]],
) -> None:
    store = begun()
    accepted: dict[int, Response] = {}
    for number, response, tab in sent:
        result = answer(store, number, response, tab)
        expected = len(accepted) + 1
        if number in accepted:
            if accepted[number] is response:
                assert isinstance(result, Recorded)
                assert not result.new
            else:
                assert isinstance(result, Refusal)
                assert (result.reason, result.stored) == (Reason.DIFFERENT_ANSWER, accepted[number])
        elif number == expected <= 23 and tab == "tab-1":
            assert isinstance(result, Recorded)
            assert result.new
            assert result.standing.next_trial == number + 1
            accepted[number] = response
        else:
            assert isinstance(result, Refusal)
            wrong_number = Reason.OUT_OF_ORDER if 1 <= number <= 23 else Reason.NO_SUCH_TRIAL
            held = tab == "tab-2" and wrong_number is Reason.OUT_OF_ORDER
            assert result.reason is (Reason.HELD_ELSEWHERE if held else wrong_number)
            assert held or result.expected in (expected, None)
    session = session_of(store)
    records = store.read(lambda reading: reading.records(session, Part.TRIALS))
    assert {record.number: record.judgment.response for record in records} == accepted
    assert [record.stimulus_id for record in records] == list(session.plan[: len(records)])


def test_practice_comes_first_and_is_kept_apart() -> None:
    store = begun(practiced=False)
    result = answer(store, 1, Response.NORMAL)
    assert isinstance(result, Refusal)
    assert (result.reason, result.expected) == (Reason.PRACTICE_FIRST, 1)
    for n in (1, 2):
        done = write(store, lambda desk, n=n: record_practice(desk, a_visit(TOKEN), n, a_judgment()))  # type: ignore[misc]
        assert isinstance(done, Recorded)
    repeated = write(store, lambda desk: record_practice(desk, a_visit(TOKEN), 1, a_judgment(Response.SOMETHINGS_OFF)))
    assert isinstance(repeated, Refusal)
    assert repeated.reason is Reason.DIFFERENT_ANSWER
    beyond = write(store, lambda desk: record_practice(desk, a_visit(TOKEN), 3, a_judgment()))
    assert isinstance(beyond, Refusal)
    assert beyond.reason is Reason.NO_SUCH_TRIAL
    assert isinstance(answer(store, 1, Response.NORMAL), Recorded)


def test_trial_1_painted_is_stamped_on_its_first_arrival() -> None:
    store = begun()
    for minutes, new in ((1, True), (2, False)):
        visit = a_visit(TOKEN, after=timedelta(minutes=minutes))
        result = write(store, lambda desk, v=visit: note_painted(desk, v, START))  # type: ignore[misc]
        assert isinstance(result, Recorded)
        assert result.new is new
    assert session_of(store).painted == START + timedelta(minutes=1)


def test_trial_1_is_painted_after_practice_and_before_the_questions_at_the_end() -> None:
    early = begun(practiced=False)
    result = write(early, lambda desk: note_painted(desk, a_visit(TOKEN), START))
    assert isinstance(result, Refusal)
    assert (result.reason, result.expected) == (Reason.OUT_OF_ORDER, 1)
    assert session_of(early).painted is None
    late = begun()
    for n in range(1, 24):
        answer(late, n, Response.NORMAL)
    for finished in (False, True):
        if finished:
            write(late, lambda desk: complete(desk, a_visit(TOKEN), None))
        result = write(late, lambda desk: note_painted(desk, a_visit(TOKEN), START))
        assert isinstance(result, Refusal)
        assert (result.reason, result.expected) == (Reason.OUT_OF_ORDER, 24)
    assert session_of(late).painted is None


def test_screens_are_timed_once_even_after_the_end() -> None:
    store = begun()
    results = [write(store, lambda desk: note_screen(desk, a_visit(TOKEN), Screen.CONSENT, 900)) for _ in range(2)]
    assert [isinstance(result, Recorded) and result.new for result in results] == [True, False]
    for n in range(1, 24):
        answer(store, n, Response.NORMAL)
    write(store, lambda desk: complete(desk, a_visit(TOKEN), None))
    thanks = write(store, lambda desk: note_screen(desk, a_visit(TOKEN), Screen.THANKS, 900))
    assert isinstance(thanks, Recorded)


STRATEGY = StrategyAnswer(options=(0, 5), other="the rhythm", skipped=False)


def debrief(store: MemoryStore, question: DebriefQuestion, given: DebriefAnswer) -> Recorded | Refusal:
    return write(store, lambda desk: record_debrief(desk, STUDY, a_visit(TOKEN), question, given))


def test_debrief_comes_after_the_last_trial_and_is_kept_once() -> None:
    store = begun()
    early = debrief(store, DebriefQuestion.STRATEGY, STRATEGY)
    assert isinstance(early, Refusal)
    assert (early.reason, early.expected) == (Reason.OUT_OF_ORDER, 1)
    for n in range(1, 24):
        answer(store, n, Response.NORMAL)
    for new in (True, False):
        result = debrief(store, DebriefQuestion.STRATEGY, STRATEGY)
        assert isinstance(result, Recorded)
        assert result.new is new
        assert result.standing.debriefed == ("strategy",)
    skipped = DemographicsAnswer(age=None, use=None, skipped=True)
    done = debrief(store, DebriefQuestion.DEMOGRAPHICS, skipped)
    assert isinstance(done, Recorded)
    assert done.standing.debriefed == ("strategy", "demographics")


@pytest.mark.parametrize(
    ("given_answer", "says"),
    [
        (StrategyAnswer(options=(6,), other="", skipped=False), "no such option"),
        (DemographicsAnswer(age=5, use=None, skipped=False), "no such option"),
        (DemographicsAnswer(age=None, use=5, skipped=False), "no such option"),
        (StrategyAnswer(options=(0,) * 50, other="", skipped=False), "more than once"),
        (StrategyAnswer(options=(0,), other="", skipped=True), "skipped and answered"),
        (StrategyAnswer(options=(), other="a hunch", skipped=True), "skipped and answered"),
        (DemographicsAnswer(age=0, use=None, skipped=True), "skipped and answered"),
        (DemographicsAnswer(age=None, use=0, skipped=True), "skipped and answered"),
    ],
)
def test_an_answer_that_the_questions_do_not_have_is_refused(given_answer: DebriefAnswer, says: str) -> None:
    store = begun()
    for n in range(1, 24):
        answer(store, n, Response.NORMAL)
    is_strategy = isinstance(given_answer, StrategyAnswer)
    question = DebriefQuestion.STRATEGY if is_strategy else DebriefQuestion.DEMOGRAPHICS
    result = debrief(store, question, given_answer)
    assert isinstance(result, Refusal)
    assert result.reason is Reason.NO_SUCH_OPTION
    assert says in result.detail
    assert not store.read(lambda reading: reading.debriefs(Mode.LIVE))


def test_comments_are_for_pilots() -> None:
    live = begun()
    refused = write(live, lambda desk: record_comment(desk, a_visit(TOKEN), "hm"))
    assert isinstance(refused, Refusal)
    assert refused.reason is Reason.PILOT_ONLY
    pilot = begun(Mode.PILOT)
    results = [write(pilot, lambda desk: record_comment(desk, a_visit(TOKEN), "hm")) for _ in range(2)]
    assert [isinstance(result, Recorded) and result.new for result in results] == [True, False]
