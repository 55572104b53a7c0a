"""Simulated raters over HTTP on the real server: what they meant is what is stored, in the order they came."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pytest

from limen.core.characters import parse_mixture
from limen.core.sessions import DailyCount, Mode, Part
from limen.core.simulated_rater import SimulatedRater
from limen.errors import DataError, NotReadyError, StoreBusyError
from limen.raters.crowd import simulate_over_http
from limen.raters.line import Server
from limen.raters.traffic import TrafficSummary
from limen.workflow.ports import Reading, Store, Writing
from limen.workflow.simulate import Traits, next_rater, raters_of, simulate_straight
from memory_store import MemoryStore
from serving import RESEARCHER, Served, serving
from studies import CountedSecrets, SteppedClock, a_protocol, a_study

T = TypeVar("T")

STUDY = a_study()


def crowd(count: int = 4, **changes: Any) -> tuple[SimulatedRater, ...]:
    return raters_of(STUDY, parse_mixture("mixed"), raters=count, **changes)


def visit(served: Served, raters: tuple[SimulatedRater, ...], **changes: Any) -> TrafficSummary:
    options = {"server": Server(url=str(served.client.base_url), secret=RESEARCHER), "study": STUDY, "at_once": 3}
    given: dict[str, Any] = {**options, **changes}
    return simulate_over_http(given.pop("study"), given.pop("server"), raters, CountedSecrets(), **given)


def stored(store: Store) -> list[tuple[object, ...]]:
    """Give all that an analysis can see of simulated sessions."""

    def ask(reading: Reading) -> list[tuple[object, ...]]:
        return [
            (
                session.participant,
                session.plan,
                session.painted,
                session.page_task_ms,
                reading.records(session, Part.PRACTICE),
                reading.records(session, Part.TRIALS),
                [answer for number, answer in reading.debriefs(Mode.SIMULATED) if number == session.number],
            )
            for session in reading.sessions(Mode.SIMULATED)
        ]

    return store.read(ask)


def test_what_raters_meant_is_stored_in_the_order_they_came() -> None:
    raters = crowd(5)
    done = []
    with serving(STUDY) as served:
        traffic = visit(served, raters, finished=lambda: done.append(1))
        sessions = served.store.read(lambda reading: reading.sessions(Mode.SIMULATED))
        assert [session.number for session in sessions] == [rater.number for rater in raters]
        trials = served.store.read(lambda reading: {s.number: reading.records(s, Part.TRIALS) for s in sessions})
        for session, rater in zip(sessions, raters, strict=True):
            said = {record.stimulus_id: record.judgment.response for record in trials[session.number]}
            assert said == {stimulus: answer.response for stimulus, answer in rater.answers.items()}
            assert session.finished is not None
            assert not session.held
            assert session.page_task_ms == sum(answer.response_time_ms for answer in rater.answers.values())
        counts = served.store.read(lambda reading: reading.counts(Mode.SIMULATED))
        assert (counts[DailyCount.LANDED], counts[DailyCount.CONSENTED]) == (5, 5)
        assert served.store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()
    assert len(done) == 5
    assert (traffic.errors, traffic.retries) == (0, 0)
    per_rater = 1 + 2 + 1 + 5 + 2 + 1 + 2 * STUDY.blinded.trial_count + 2 + 1 + 1  # page, counts, session, screens, …
    assert traffic.requests == 5 * per_rater


def test_over_http_and_straight_the_same_is_stored() -> None:
    straight = MemoryStore()
    codes = list(simulate_straight(STUDY, straight, SteppedClock(), CountedSecrets(), crowd(3)))
    assert codes == ["P001", "P002", "P003"]
    with serving(STUDY) as served:
        visit(served, crowd(3))
        assert stored(served.store) == stored(straight)
        assert served.store.read(next_rater) == straight.read(next_rater) == 4


def test_two_runs_are_the_same_however_many_answer_at_once() -> None:
    with serving(STUDY) as one, serving(STUDY) as other:
        visit(one, crowd(), at_once=1)
        visit(other, crowd(), at_once=4)
        assert stored(one.store) == stored(other.store)


@dataclass
class BusyNowAndThen(MemoryStore):
    """A store that has no room for some of what is to be written."""

    refusals: list[int] = field(default_factory=lambda: [40, 20])  # at which submissions, the next one last
    submitted: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def submit(self, work: Callable[[Writing], T], key: str = "") -> Future[T]:
        self.submitted += 1
        if self.refusals and self.submitted >= self.refusals[-1]:
            self.refusals.pop()
            raise StoreBusyError("full")
        return super().submit(work, key)


def test_raters_wait_for_a_store_that_is_busy_and_lose_nothing() -> None:
    with serving(STUDY, BusyNowAndThen()) as busy, serving(STUDY) as calm:
        traffic = visit(busy, crowd(2))
        visit(calm, crowd(2))
        assert (traffic.retries, traffic.errors) == (2, 0)
        assert stored(busy.store) == stored(calm.store)


def test_a_break_is_taken_and_counts_as_the_page_counts_it() -> None:
    with_break = a_protocol()
    study = a_study(replace(with_break, survey=replace(with_break.survey, break_after=10)))
    raters = raters_of(study, parse_mixture("perceptive"), raters=1)
    with serving(study) as served:
        visit(served, raters, study=study)
        (session,) = served.store.read(lambda reading: reading.sessions(Mode.SIMULATED))
        assert session.page_task_ms is not None
        assert session.page_task_ms > sum(answer.response_time_ms for answer in raters[0].answers.values())


def test_traits_replace_what_the_character_has() -> None:
    for rater in raters_of(STUDY, parse_mixture("mixed"), raters=4, traits=Traits(d_prime=50.0, criterion=0.0)):
        if rater.character != "careless":
            assert rater.answers["CAT_01"].response == "SOMETHINGS_OFF"
    quick = crowd(1, traits=Traits(words_per_minute=100_000.0))[0]
    assert sum(answer.response_time_ms for answer in quick.answers.values()) < 100_000


def test_another_study_folder_another_key_and_no_server_are_told_in_one_line() -> None:
    with serving(STUDY) as served:
        address = str(served.client.base_url)
        other = a_study(awkward=True)
        with pytest.raises(DataError, match="texts that are not in this study folder"):
            visit(served, raters_of(other, parse_mixture("blind"), raters=1), study=other)
        with pytest.raises(DataError, match="does not let simulated raters in"):
            visit(served, crowd(1), server=Server(url=address, secret="another"))
    with pytest.raises(NotReadyError, match="does not answer"):
        visit(served, crowd(1), server=Server(url=address, secret=RESEARCHER))
