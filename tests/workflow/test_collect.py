"""Sealed plans, and files of answers taken in."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TypeVar

import pytest

from limen.core.flagging import SHARED_PLAN, flag_participants
from limen.core.judgment import Response
from limen.core.ordering import plan_session
from limen.core.sessions import (
    DebriefAnswer,
    DebriefQuestion,
    DemographicsAnswer,
    Mode,
    Part,
    Screen,
    Source,
    StrategyAnswer,
)
from limen.errors import DataError
from limen.workflow.answers import joined_trials
from limen.workflow.collect import Collected, StaticKey, StaticSubmission, StaticTrial, seal_plans, take_in
from limen.workflow.gather import gather_answers
from limen.workflow.participate import begin
from limen.workflow.ports import Writing
from limen.workflow.record import record_practice, record_trial
from limen.workflow.withdraw import Withdrawal, withdraw
from memory_store import MemoryStore
from studies import QUALIFIES, START, CountedSecrets, a_judgment, a_study, a_visit, applies

T = TypeVar("T")
STUDY = a_study()
KEY = seal_plans(STUDY, 4, Mode.LIVE, CountedSecrets(), START)
TOTAL = len(KEY.plans[0].stimulus_ids)


def write(store: MemoryStore, work: Callable[[Writing], T]) -> T:
    return store.submit(work).result()


def a_submission(
    answered: int = TOTAL, plan: int = 0, response_id: str = "response-1", **changes: object
) -> StaticSubmission:
    sealed = KEY.plans[plan]

    def judged(number: int) -> StaticTrial:
        response = Response.SOMETHINGS_OFF if number % 3 == 0 else Response.NORMAL
        judgment = a_judgment(response, client_time=START + timedelta(minutes=number))
        return StaticTrial(number=number, token=sealed.trial_tokens[number - 1], judgment=judgment)

    submission = StaticSubmission(
        study_id=KEY.study_id,
        response_id=response_id,
        code=sealed.code,
        consent_version=KEY.consent_version,
        screening=QUALIFIES,
        started=START,
        finished=START + timedelta(hours=1) if answered == TOTAL else None,
        page_task_ms=1_500_000 if answered == TOTAL else None,
        practice=tuple(StaticTrial(number=n, token="practice", judgment=a_judgment()) for n in (1, 2)),
        trials=tuple(judged(n) for n in range(1, answered + 1)),
        debriefs={
            DebriefQuestion.STRATEGY: StrategyAnswer(options=(1,), other="", skipped=False),
            DebriefQuestion.DEMOGRAPHICS: DemographicsAnswer(age=1, use=None, skipped=False),
        },
        screens={Screen.CONSENT: 4000},
    )
    return replace(submission, **changes)  # type: ignore[arg-type]


def debriefed(answer: DebriefAnswer) -> dict[DebriefQuestion, DebriefAnswer]:
    is_strategy = isinstance(answer, StrategyAnswer)
    return {DebriefQuestion.STRATEGY if is_strategy else DebriefQuestion.DEMOGRAPHICS: answer}


def collect(store: MemoryStore, submission: StaticSubmission, keys: Sequence[StaticKey] = (KEY,)) -> Collected:
    return write(store, lambda desk: take_in(desk, STUDY, keys, submission, START))


def test_plans_have_distinct_codes_opaque_tokens_and_orders_from_the_seed() -> None:
    assert len({plan.code for plan in KEY.plans}) == 4
    tokens = [token for plan in KEY.plans for token in plan.trial_tokens]
    assert len(set(tokens)) == 4 * TOTAL
    for number, plan in enumerate(KEY.plans, 1):
        expected = plan_session(STUDY.protocol, STUDY.stimuli, f"order/static/live/{number}")
        assert plan.stimulus_ids == expected.stimulus_ids


def test_a_further_page_has_orders_and_codes_of_its_own() -> None:
    secrets = CountedSecrets()
    keys: list[StaticKey] = []
    for mode in (Mode.LIVE, Mode.LIVE, Mode.PILOT, Mode.LIVE):
        keys.append(seal_plans(STUDY, 3, mode, secrets, START, earlier=keys))
    orders = [plan.stimulus_ids for key in keys for plan in key.plans]
    codes = [plan.code for key in keys for plan in key.plans]
    assert len(set(orders)) == len(set(codes)) == 12
    again = seal_plans(STUDY, 3, Mode.LIVE, CountedSecrets(), START, earlier=keys)  # draws the first page's codes anew
    assert not {plan.code for plan in again.plans} & set(codes)


def test_a_pilots_comment_is_taken_in_once_and_no_other() -> None:
    store = MemoryStore()
    pilot = replace(KEY, mode=Mode.PILOT)
    for _ in range(2):
        collect(store, a_submission(comment="Was the third pair broken?"), keys=(pilot,))
    assert store.read(lambda reading: list(reading.comments(Mode.PILOT))) == [(1, "Was the third pair broken?")]


def test_a_file_becomes_a_participant_with_everything_in_it() -> None:
    store = MemoryStore()
    found = collect(store, a_submission())
    assert found == Collected(participant="P001", added=TOTAL, known=0, different=0, plan_shared=False)
    (session,) = store.read(lambda reading: reading.sessions(Mode.LIVE))
    assert (session.source, session.plan_code, session.page_task_ms) == (Source.STATIC, KEY.plans[0].code, 1_500_000)
    assert session.finished == START + timedelta(hours=1)
    records = store.read(lambda reading: reading.records(session, Part.TRIALS))
    assert tuple(record.stimulus_id for record in records) == KEY.plans[0].stimulus_ids
    assert records[0].received == START + timedelta(minutes=1)
    assert len(store.read(lambda reading: reading.records(session, Part.PRACTICE))) == 2
    assert len(store.read(lambda reading: reading.debriefs(Mode.LIVE))) == 2


def test_taking_in_twice_is_taking_in_once() -> None:
    store = MemoryStore()
    collect(store, a_submission())
    again = collect(store, a_submission())
    assert again == Collected(participant="P001", added=0, known=TOTAL, different=0, plan_shared=False)
    assert len(store.read(lambda reading: reading.sessions(Mode.LIVE))) == 1


@pytest.mark.parametrize("order", [(5, TOTAL), (TOTAL, 5)])
def test_an_earlier_save_of_the_same_file_adds_up_in_any_order(order: tuple[int, int]) -> None:
    store = MemoryStore()
    for trials in order:
        collect(store, a_submission(trials))
    (session,) = store.read(lambda reading: reading.sessions(Mode.LIVE))
    assert session.answered == TOTAL
    assert session.finished is not None


def test_an_answer_that_was_stored_differently_stays_and_is_told() -> None:
    store = MemoryStore()
    collect(store, a_submission(5))
    submission = a_submission()
    changed = replace(submission.trials[0], judgment=a_judgment(Response.SOMETHINGS_OFF))
    found = collect(store, replace(submission, trials=(changed, *submission.trials[1:])))
    assert (found.added, found.known, found.different) == (TOTAL - 5, 4, 1)
    (session,) = store.read(lambda reading: reading.sessions(Mode.LIVE))
    assert store.read(lambda reading: reading.response(session, Part.TRIALS, 1)) is Response.NORMAL


def test_two_raters_on_one_plan_are_two_people_and_flagged() -> None:
    store = MemoryStore()
    assert not collect(store, a_submission(response_id="one")).plan_shared
    second = collect(store, a_submission(response_id="two"))
    assert (second.participant, second.plan_shared) == ("P002", True)
    collect(store, a_submission(response_id="three", plan=1))
    gathered = store.read(lambda reading: gather_answers(reading, STUDY.protocol, STUDY.stimuli, Mode.LIVE))
    flagging = flag_participants(gathered.table)
    assert [SHARED_PLAN in flagging.of(place) for place in range(3)] == [True, True, False]


def test_numbers_never_collide_with_the_servers() -> None:
    store = MemoryStore()
    visit = a_visit("A" * 22)
    write(store, lambda desk: begin(desk, STUDY, visit, applies(STUDY)))
    assert collect(store, a_submission()).participant == "P002"
    write(store, lambda desk: begin(desk, STUDY, a_visit("B" * 22), applies(STUDY)))
    assert [s.number for s in store.read(lambda reading: reading.sessions(Mode.LIVE))] == [1, 2, 3]


def test_a_withdrawn_file_stays_withdrawn() -> None:
    store = MemoryStore()
    collect(store, a_submission())
    assert write(store, lambda desk: withdraw(desk, "response-1", START)) is Withdrawal.DONE
    assert collect(store, a_submission()).participant is None
    assert store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"study_id": "other"}, "not from a page of this study"),
        ({"code": "ZZZZ"}, "names plan ZZZZ"),
        ({"consent_version": "other"}, "another consent text"),
        ({"screening": {**QUALIFIES, "adult": "no"}}, "do not admit"),
        ({"screening": {}}, "do not admit"),
        ({"trials": a_submission().trials[1:]}, "each trial once, in order"),
        ({"trials": (a_submission().trials[0],) * 2}, "each trial once, in order"),
        ({"practice": a_submission().practice[1:]}, "each practice once, in order"),
        ({"trials": a_submission(plan=1).trials}, "is not the one that plan"),
        ({"comment": "hm"}, "only the page of a pilot"),
        ({"debriefs": debriefed(StrategyAnswer(options=(99,), other="", skipped=False))}, "strategy .* no such option"),
        ({"debriefs": debriefed(StrategyAnswer(options=(0, 0), other="", skipped=False))}, "more than once"),
        ({"debriefs": debriefed(DemographicsAnswer(age=77, use=None, skipped=False))}, "no such option"),
        ({"debriefs": debriefed(DemographicsAnswer(age=1, use=None, skipped=True))}, "skipped and answered"),
    ],
)
def test_what_does_not_belong_is_refused_and_nothing_is_stored(changes: dict[str, object], says: str) -> None:
    store = MemoryStore()
    with pytest.raises(DataError, match=says):
        collect(store, a_submission(**changes))  # type: ignore[arg-type]
    assert store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()


def test_a_file_of_a_page_with_other_stimuli_is_refused() -> None:
    with pytest.raises(DataError, match="other stimuli"):
        collect(MemoryStore(), a_submission(), keys=(replace(KEY, stimulus_digest="old"),))


def test_one_response_is_not_taken_in_under_two_plans() -> None:
    store = MemoryStore()
    collect(store, a_submission(3, plan=0))
    with pytest.raises(DataError, match="was taken in with plan"):
        collect(store, a_submission(3, plan=1))


def test_all_answers_come_joined_with_what_was_shown() -> None:
    store = MemoryStore()
    collect(store, a_submission())
    token = "A" * 22

    def serve_one(desk: Writing) -> None:
        begin(desk, STUDY, a_visit(token), applies(STUDY))
        for n in (1, 2):
            record_practice(desk, a_visit(token), n, a_judgment())
        record_trial(desk, a_visit(token), 1, a_judgment())

    write(store, serve_one)
    (joined,) = store.read(lambda reading: list(joined_trials(reading, STUDY.stimuli, Mode.LIVE)))
    assert joined.participant_id == ("P001",) * TOTAL + ("P002",)
    assert joined.pair_id[:TOTAL] == KEY.plans[0].stimulus_ids
    conditions = {s.pair_id: s.pair.condition for s in STUDY.stimuli.stimuli}
    assert joined.condition == tuple(conditions.get(pair_id, "ATTENTION") for pair_id in joined.pair_id)
    assert joined.condition.count("ATTENTION") == 3
    assert joined.columns.source == ("static",) * TOTAL + ("server",)
    assert store.read(lambda reading: list(joined_trials(reading, STUDY.stimuli, Mode.PILOT))) == []
