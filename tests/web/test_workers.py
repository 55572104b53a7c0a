"""Several processes: one that dies is started again, with pauses, and while others serve nobody gives up."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from limen.errors import NotReadyError, StoreError
from limen.web.workers import Workers


def test_while_one_serves_another_that_cannot_start_is_tried_again_with_pauses(tmp_path: Path) -> None:
    away, starts = tmp_path / "away", tmp_path / "starts"

    def work(_worker: int) -> None:
        with starts.open("a") as file:
            file.write("x")
        if away.exists():
            raise StoreError("the database is away")
        while True:
            time.sleep(0.05)

    workers = Workers(2, work)

    def meanwhile() -> None:
        while not starts.exists() or len(starts.read_text()) < 2:
            time.sleep(0.02)
        away.touch()
        os.kill(next(iter(workers._running)), signal.SIGKILL)
        time.sleep(3)
        away.unlink()
        time.sleep(6)
        workers._stopping = True

    thread = threading.Thread(target=meanwhile)
    thread.start()
    workers.run()
    thread.join()
    assert 4 <= len(starts.read_text()) <= 12, "tried again and again, and not without end"


def test_when_none_can_start_the_whole_ends_and_says_why() -> None:
    def work(_worker: int) -> None:
        raise StoreError("never")

    began = time.monotonic()
    with pytest.raises(NotReadyError, match="ended again and again"):
        Workers(2, work).run()
    assert time.monotonic() - began < 15


def test_pauses_do_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    workers = Workers(2, lambda _worker: None)
    workers._early_deaths = 5000
    workers._running, workers._begun = {1: 0, 2: 1}, {1: time.monotonic(), 2: time.monotonic()}
    monkeypatch.setattr(workers, "_dead", lambda: [(1, 256)])  # ended by itself, with exit code 1
    workers._restart_the_dead()
    assert 4 < workers._due[0] - time.monotonic() <= 5
