"""A copy is consistent while others write, and a store can be opened from it."""

import threading
from pathlib import Path

import pytest
import sqlalchemy as sa

from limen.core.sessions import DailyCount, Mode, Part, Source
from limen.errors import StoreError
from limen.storage.backup import back_up
from limen.storage.engines import make_engines
from limen.storage.schema import metadata
from limen.storage.store import open_store
from limen.workflow.participate import begin
from limen.workflow.ports import Writing
from limen.workflow.record import record_practice, record_trial
from studies import a_judgment, a_study, a_visit, applies


def a_participant(desk: Writing, token: str, trials: int) -> None:
    study = a_study()
    begin(desk, study, a_visit(token), applies(study))
    for n in (1, 2):
        record_practice(desk, a_visit(token), n, a_judgment())
    for n in range(1, trials + 1):
        record_trial(desk, a_visit(token), n, a_judgment())


def test_a_copy_has_every_row(database: str, tmp_path: Path) -> None:
    copy = tmp_path / "deep" / "copy.sqlite"
    with open_store(database) as store:
        for k in range(3):
            store.submit(lambda desk, k=k: a_participant(desk, f"token {k}", 5 + k)).result(10)  # type: ignore[misc]
        back_up(database, copy)
    original, copied = make_engines(database), make_engines(f"sqlite:///{copy}")
    with original.read.begin() as one, copied.read.begin() as other:
        for table in metadata.sorted_tables:
            ask = sa.select(table).order_by(*table.primary_key.columns)
            rows = [tuple(row) for row in one.execute(ask)]
            assert rows == [tuple(row) for row in other.execute(ask)], table.name
    original.dispose()
    copied.dispose()
    assert sorted(path.name for path in copy.parent.iterdir()) == ["copy.sqlite"]
    with open_store(f"sqlite:///{copy}", serving=True) as restored:
        assert [s.answered for s in restored.read(lambda reading: reading.sessions(Mode.LIVE))] == [5, 6, 7]
        restored.submit(lambda desk: a_participant(desk, "one more", 1)).result(10)
        last = restored.read(lambda reading: reading.sessions(Mode.LIVE))[-1]
        assert (last.number, last.source) == (4, Source.SERVER)
        assert len(restored.read(lambda reading: reading.records(last, Part.PRACTICE))) == 2


def test_a_copy_made_while_others_write_is_of_one_moment(database: str, tmp_path: Path) -> None:
    stop = threading.Event()

    def both(desk: Writing) -> None:
        from studies import START

        desk.count(Mode.LIVE, START.date(), DailyCount.LANDED)
        desk.count(Mode.LIVE, START.date(), DailyCount.CONSENTED)

    with open_store(database) as store:

        def keep_writing() -> None:
            while not stop.is_set():
                store.submit(both).result(10)

        writer = threading.Thread(target=keep_writing)
        writer.start()
        try:
            for k in range(3):
                back_up(database, tmp_path / f"copy{k}.sqlite")
        finally:
            stop.set()
            writer.join()
    for k in range(3):
        with open_store(f"sqlite:///{tmp_path / f'copy{k}.sqlite'}") as copy:
            counts = copy.read(lambda reading: reading.counts(Mode.LIVE))
        assert counts.get(DailyCount.LANDED) == counts.get(DailyCount.CONSENTED)


def test_a_copy_replaces_nothing(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'answers.sqlite'}"
    with pytest.raises(StoreError, match="nothing to copy"):
        back_up(address, tmp_path / "copy.sqlite")
    with open_store(address):
        pass
    there = tmp_path / "there.sqlite"
    there.write_text("mine")
    with pytest.raises(StoreError, match="is there already"):
        back_up(address, there)
    assert there.read_text() == "mine"


@pytest.mark.parametrize("where", ["{folder}/file/copy.sqlite", "{folder}/" + "x" * 250, "{folder}/" + "x" * 300])
def test_a_place_that_cannot_be_written_is_told_in_one_line(tmp_path: Path, where: str) -> None:
    address = f"sqlite:///{tmp_path / 'answers.sqlite'}"
    with open_store(address):
        pass
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match=r"the copy failed \(.*\); check rights and space") as told:
        back_up(address, Path(where.format(folder=tmp_path)))
    assert "\n" not in str(told.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.sqlite", "file"]
