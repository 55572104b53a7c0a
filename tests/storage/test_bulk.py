"""All trials, in chunks."""

import pytest

from limen.core.sessions import Mode
from limen.storage.store import open_store
from limen.workflow.participate import begin
from limen.workflow.ports import Writing
from limen.workflow.record import record_practice, record_trial
from studies import a_judgment, a_study, a_visit, applies


def test_chunks_follow_each_other_without_a_gap(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limen.storage.bulk._CHUNK", 10)
    study = a_study()

    def three_people(desk: Writing) -> None:
        for token in ("a" * 22, "b" * 22, "c" * 22):
            begin(desk, study, a_visit(token), applies(study))
            for n in (1, 2):
                record_practice(desk, a_visit(token), n, a_judgment())
            for n in range(1, 24):
                record_trial(desk, a_visit(token), n, a_judgment())

    with open_store(database) as store:
        store.submit(three_people).result(10)
        chunks = store.read(lambda reading: list(reading.trials(Mode.LIVE, study.digest)))
    assert [len(chunk.trial_number) for chunk in chunks] == [10] * 6 + [9]
    places = [place for c in chunks for place in zip(c.participant_number, c.trial_number, strict=True)]
    assert places == [(participant, n) for participant in (1, 2, 3) for n in range(1, 24)]
    assert all(kind is bool for chunk in chunks for kind in map(type, chunk.queued_offline))
