"""Taking answers back."""

from limen.core.sessions import DailyCount, Mode
from limen.core.tokens import withdrawal_code
from limen.workflow.oversee import oversee
from limen.workflow.participate import begin, complete
from limen.workflow.ports import Writing
from limen.workflow.record import note_painted, record_practice, record_trial
from limen.workflow.withdraw import Withdrawal, look_up, withdraw
from memory_store import MemoryStore
from studies import START, a_judgment, a_study, a_visit, applies

STUDY = a_study()
TOKEN = "A" * 22


def a_finished_session() -> MemoryStore:
    store = MemoryStore()

    def work(desk: Writing) -> None:
        begin(desk, STUDY, a_visit(TOKEN), applies(STUDY))
        for n in (1, 2):
            record_practice(desk, a_visit(TOKEN), n, a_judgment())
        note_painted(desk, a_visit(TOKEN), START)
        for n in range(1, 24):
            record_trial(desk, a_visit(TOKEN), n, a_judgment())
        complete(desk, a_visit(TOKEN), None)

    store.submit(work).result()
    return store


def test_a_code_deletes_its_session_once_and_one_is_counted() -> None:
    store = a_finished_session()
    code = withdrawal_code(TOKEN)
    assert store.read(lambda reading: look_up(reading, code)) is Withdrawal.POSSIBLE
    assert store.submit(lambda desk: withdraw(desk, code.upper(), START)).result() is Withdrawal.DONE
    assert store.submit(lambda desk: withdraw(desk, code, START)).result() is Withdrawal.DONE_BEFORE
    assert store.read(lambda reading: look_up(reading, code)) is Withdrawal.DONE_BEFORE
    assert store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()
    assert store.read(lambda reading: reading.counts(Mode.LIVE))[DailyCount.WITHDRAWN] == 1


def test_an_unknown_code_deletes_nothing() -> None:
    store = a_finished_session()
    assert store.submit(lambda desk: withdraw(desk, "nonsense", START)).result() is Withdrawal.UNKNOWN
    assert len(store.read(lambda reading: reading.sessions(Mode.LIVE))) == 1


def test_who_withdraws_stays_counted_where_they_had_been() -> None:
    store = a_finished_session()
    before = store.read(lambda reading: oversee(reading, STUDY.protocol, START)).of(Mode.LIVE)
    store.submit(lambda desk: withdraw(desk, withdrawal_code(TOKEN), START)).result()
    after = store.read(lambda reading: oversee(reading, STUDY.protocol, START)).of(Mode.LIVE)
    assert (before.screened_in, before.started, before.finished, before.withdrawn) == (1, 1, 1, 0)
    assert (after.screened_in, after.started, after.finished, after.withdrawn) == (1, 1, 1, 1)
    assert (before.in_hand, after.in_hand) == (1, 0)
