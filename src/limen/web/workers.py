"""Several processes that answer at one address: started together, one started anew when it dies, ended together."""

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from types import FrameType

from limen.errors import InputError, LimenError, NotReadyError

log = logging.getLogger(__name__)

_STOP_S = 9.5
_TOO_SOON_S = 2.0
_TOO_MANY = 5
_SHORTEST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 5.0


class Workers:
    """The processes. `work` is what each does, given its number; it returns when the process is told to stop."""

    def __init__(self, count: int, work: Callable[[int], None]) -> None:
        if not hasattr(os, "fork"):
            raise InputError("--workers: several processes need fork, which this system has not; start one")
        self._count = count
        self._work = work
        self._running: dict[int, int] = {}  # which worker a process is
        self._begun: dict[int, float] = {}
        self._due: dict[int, float] = {}  # when one that ended is started again
        self._early_deaths = 0
        self._stopping = False

    def run(self) -> None:
        """Start all and stay until SIGTERM or Ctrl-C; then end them and wait."""
        before = {number: signal.signal(number, self._on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            for worker in range(self._count):
                self._start(worker)
            while not self._stopping:
                self._restart_the_dead()
                time.sleep(0.1)
        finally:
            self._stop()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stopping = True

    def _start(self, worker: int) -> None:
        sys.stdout.flush()
        process = os.fork()
        if process == 0:
            os._exit(self._in_the_child(worker))
        self._running[process] = worker
        self._begun[process] = time.monotonic()

    def _in_the_child(self, worker: int) -> int:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all; the parent tells when
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            self._work(worker)
        except LimenError as error:
            log.error("worker %d ended: %s", worker, error)
            return error.exit_code
        except BaseException:
            log.exception("worker %d ended", worker)
            return 1
        return 0

    def _restart_the_dead(self) -> None:
        for process, status in self._dead():
            worker = self._running.pop(process)
            early = time.monotonic() - self._begun.pop(process) < _TOO_SOON_S
            if os.WIFEXITED(status):  # of itself; what kills it from outside is no reason to give up
                self._early_deaths = self._early_deaths + 1 if early else 0
                if self._early_deaths >= _TOO_MANY and not self._running:  # others that serve may yet be joined
                    raise NotReadyError(f"worker {worker} ended again and again; its messages above say why")
            wait_s = min(_LONGEST_PAUSE_S, _SHORTEST_PAUSE_S * 2 ** min(self._early_deaths, 6)) if early else 0.0
            self._due[worker] = time.monotonic() + wait_s
        for worker in [worker for worker, due in self._due.items() if due <= time.monotonic() and not self._stopping]:
            del self._due[worker]
            log.warning("worker %d ended and is started again", worker)
            self._start(worker)

    def _dead(self) -> list[tuple[int, int]]:
        ended = [os.waitpid(process, os.WNOHANG) for process in self._running]
        return [(process, status) for process, status in ended if process]

    def _stop(self) -> None:
        for process in self._running:
            os.kill(process, signal.SIGTERM)
        until = time.monotonic() + _STOP_S
        while self._running and time.monotonic() < until:
            for process, _ in self._dead():
                del self._running[process]
            time.sleep(0.02)
        for process in self._running:
            log.error("a worker did not end in time and is killed; what it acknowledged is stored")
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
        self._running.clear()
