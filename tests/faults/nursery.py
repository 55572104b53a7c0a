"""Servers that start fast: a process that has everything imported, and forks `limen` when told to.

A test kills hundreds of servers; loading Python for each would be most of its time. What is forked runs the same
command from its first line. Run as a script it reads orders, a JSON line each.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Nursling:
    """A server process."""

    pid: int
    output: Path
    port: int

    def said(self) -> str:
        return self.output.read_text()

    def alive(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        return True

    def up(self) -> bool:
        """Tell whether it has printed its links."""
        return "answers  " in self.said()

    def wait_until_up(self, seconds: float = 30) -> None:
        until = time.monotonic() + seconds
        while not self.up():
            assert self.alive(), f"the server ended: {self.said()}"
            assert time.monotonic() < until, f"the server did not start: {self.said()}"
            time.sleep(0.005)

    def end(self, number: int = signal.SIGKILL, seconds: float = 20) -> float:
        """Send a signal, wait until the process is gone, and give how long that took."""
        began = time.monotonic()
        os.kill(self.pid, number)
        while self.alive():
            assert time.monotonic() < began + seconds, f"the server did not end: {self.said()}"
            time.sleep(0.002)
        return time.monotonic() - began


class Nursery:
    """Starts servers of one study, all at one port."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._started = 0

    def start(self, study: Path, *options: object, port: int) -> Nursling:
        self._started += 1
        output = self._folder / f"server-{self._started}.log"
        output.touch()
        arguments = ["serve", study, "--port", port, "--page-file", study / "page.html", *options]
        order = {"arguments": [str(argument) for argument in arguments], "output": str(output)}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return Nursling(int(self._process.stdout.readline()), output, port)


@contextmanager
def a_nursery(folder: Path) -> Iterator[Nursery]:
    """Open a nursery; at the end everything that it started is killed."""
    process = subprocess.Popen(
        [sys.executable, __file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
    )
    try:
        yield Nursery(process, folder)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _tend() -> None:
    import psycopg  # noqa: F401 - imported here so that those who are forked need not
    import uvloop  # noqa: F401

    import limen.cli.serving
    import limen.study.folder
    import limen.survey.page  # noqa: F401
    from limen.cli.main import run

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # who ends is gone at once
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            output = os.open(order["output"], os.O_WRONLY | os.O_APPEND)
            os.dup2(output, 1)
            os.dup2(output, 2)
            try:
                run(order["arguments"])
            except SystemExit as ended:
                sys.stdout.flush()
                os._exit(int(ended.code or 0))
        print(pid, flush=True)  # noqa: T201 - it is what was asked for


if __name__ == "__main__":
    _tend()
