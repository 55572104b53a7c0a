"""Pairs that people answered are not replaced in passing."""

import pytest

from limen.core.sessions import Mode
from limen.errors import NotReadyError
from limen.workflow.gather import refuse_other_pairs
from limen.workflow.participate import begin
from limen.workflow.ports import Writing
from limen.workflow.record import note_painted, record_practice
from limen.workflow.replace import belonging, refuse_replacing, sessions_shown
from memory_store import MemoryStore
from studies import START, a_judgment, a_study, a_visit, applies

STUDY = a_study()


def a_store(*modes: Mode) -> MemoryStore:
    store = MemoryStore()

    def work(desk: Writing) -> None:
        for k, mode in enumerate(modes):
            begin(desk, STUDY, a_visit(f"{k:022d}"), applies(STUDY, mode=mode))
            for number in (1, 2):
                record_practice(desk, a_visit(f"{k:022d}"), number, a_judgment())
            note_painted(desk, a_visit(f"{k:022d}"), START)

    store.submit(work).result()
    return store


def test_sessions_are_counted_by_mode_and_only_those_of_these_stimuli() -> None:
    store = a_store(Mode.LIVE, Mode.LIVE, Mode.SIMULATED)
    assert store.read(lambda r: sessions_shown(r, STUDY.digest)) == {Mode.LIVE: 2, Mode.SIMULATED: 1}
    assert store.read(lambda r: sessions_shown(r, "another")) == {}


@pytest.mark.parametrize("mode", [Mode.LIVE, Mode.PILOT])
def test_pairs_that_people_answered_are_not_replaced(mode: Mode) -> None:
    with pytest.raises(NotReadyError, match=f"study/stimuli: 1 {mode} session belongs .* --replace"):
        refuse_replacing({mode: 1, Mode.SIMULATED: 4}, "study/stimuli")


def test_pairs_that_only_simulated_raters_or_the_researcher_saw_may_be_replaced() -> None:
    refuse_replacing({Mode.SIMULATED: 4, Mode.PREVIEW: 1}, "study/stimuli")
    refuse_replacing({}, "study/stimuli")
    assert belonging({Mode.PREVIEW: 1, Mode.SIMULATED: 4}) == "1 preview and 4 simulated sessions belong"


def test_after_a_pilot_the_refusal_names_where_the_old_pairs_are_kept() -> None:
    with pytest.raises(NotReadyError, match=r"after a pilot give --replace: .* keeps the old ones in s/before-…$"):
        refuse_replacing({Mode.PILOT: 3}, "s")
    with pytest.raises(NotReadyError, match="new study folder"):
        refuse_replacing({Mode.PILOT: 3, Mode.LIVE: 1}, "s")


def test_answers_to_another_set_of_pairs_are_named_by_that_set() -> None:
    store = a_store(Mode.LIVE, Mode.LIVE)
    with pytest.raises(NotReadyError, match=rf"2 live raters answered another set .*{STUDY.digest[:8]}…"):
        store.read(lambda r: refuse_other_pairs(r, Mode.LIVE))
    store.read(lambda r: refuse_other_pairs(r, Mode.PILOT))
