"""What was stored becomes what an analysis wants: here, by whose clock the main task was timed."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from limen.core.analysis.trials import TaskClock
from limen.core.criteria import ExclusionKind
from limen.core.exclusion import judge_participants
from limen.core.judgment import Response
from limen.core.sessions import Mode
from limen.workflow.gather import gather_answers
from limen.workflow.participate import begin, complete
from limen.workflow.ports import Writing
from limen.workflow.record import note_painted, record_practice, record_trial
from memory_store import MemoryStore
from studies import START, a_judgment, a_study, a_visit, an_answer_for, applies

TOKEN = "A" * 22
STUDY = a_study()
HOUR = 3600.0


def main_task(painted_s: float, received_s: Sequence[float]) -> tuple[int, TaskClock | None, bool]:
    """Let someone take part at these times of the server; give the time, its clock, and whether it was too fast."""
    store = MemoryStore()

    def work(desk: Writing) -> None:
        begin(desk, STUDY, a_visit(TOKEN), applies(STUDY))
        for n in (1, 2):
            record_practice(desk, a_visit(TOKEN), n, a_judgment())
        note_painted(desk, a_visit(TOKEN, after=timedelta(seconds=painted_s)), START)
        for n, after in enumerate(received_s, 1):
            judgment = a_judgment(Response(an_answer_for(TOKEN, n)))
            record_trial(desk, a_visit(TOKEN, after=timedelta(seconds=after)), n, judgment)
        complete(desk, a_visit(TOKEN, after=timedelta(seconds=received_s[-1])), 23 * 20_000)

    store.submit(work).result()
    table = store.read(lambda reading: gather_answers(reading, STUDY.protocol, STUDY.stimuli, Mode.LIVE)).table
    people = table.participants
    excluded = judge_participants(table, STUDY.protocol).exclusions
    return (
        int(people.main_task_ms[0]),
        people.main_task_clock[0],
        any(ExclusionKind.TOO_FAST in one.rules for one in excluded),
    )


def every_20_s(from_s: float = 0.0) -> list[float]:
    return [from_s + 20.0 * n for n in range(1, 24)]


def test_the_servers_clock_times_the_main_task() -> None:
    assert main_task(0, every_20_s()) == (460_000, TaskClock.SERVER, False)
    assert main_task(0, [10.0 * n for n in range(1, 24)]) == (230_000, TaskClock.SERVER, True)


@pytest.mark.parametrize("answered", [0, 1, 11, 22])
def test_nobody_is_too_fast_because_the_servers_clock_was_set_back(answered: int) -> None:
    """After so many answers the clock goes back by an hour: the page's own clock says how long it took."""
    times = [at - (HOUR if n > answered else 0) for n, at in enumerate(every_20_s(), 1)]
    assert main_task(0, times) == (460_000, TaskClock.PAGE, False)
