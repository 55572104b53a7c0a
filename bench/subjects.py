"""What is measured: Limen and its variants, each a process of its own, and what its participants send."""

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from client import connect, json_request, request_bytes

TRIALS = 23
ANSWER = {
    "response": "NORMAL",
    "response_time_ms": 8432,
    "client_time": "2026-01-05T10:00:00.123Z",
    "queued_offline": False,
    "attempts": [{"visible_ms": 8432, "hidden_ms": 0, "started": "2026-01-05T09:59:51.691Z"}],
    "focus_losses": 0,
    "focus_lost_ms": 0,
    "copies": 0,
    "b_seen": 0.97,
    "input": "key",
    "viewport": {"width": 390, "height": 844},
    "tab": "tab-1",
}


@dataclass
class Subject:
    """A server that runs."""

    port: int
    pid: int

    @property
    def host(self) -> str:
        """The Host header."""
        return f"127.0.0.1:{self.port}"


@contextmanager
def started(command: Sequence[object], pattern: str, *, folder: Path | None = None) -> Iterator[Subject]:
    """Run a server until the measurement is over; it prints its port, as the pattern says."""
    process = subprocess.Popen(  # noqa: S603 - commands of this folder
        [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder
    )
    try:
        assert process.stdout is not None  # noqa: S101 - for the type checker
        while not (found := re.search(pattern, line := process.stdout.readline())):
            if not line:
                raise SystemExit(f"{command}: did not start; run it by hand to see why")
        yield Subject(port=int(found[1]), pid=process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


_LINK = r"participants\s+http://127\.0\.0\.1:(\d+)/"


@contextmanager
def limen(study: Path, *options: object) -> Iterator[Subject]:
    """Serve a study as anyone would."""
    command = [sys.executable, "-m", "limen", "serve", study, "--port", 0, "--sessions-per-minute", 0, *options]
    with started(command, _LINK) as subject:
        yield subject


@contextmanager
def variant(*arguments: object) -> Iterator[Subject]:
    """Serve one of bench/variants.py."""
    with started([sys.executable, Path(__file__).with_name("variants.py"), *arguments], _LINK) as subject:
        yield subject


def a_study(folder: Path, name: str) -> Path:
    """Make the example study, once in this run; each name gets a copy without answers."""
    example = folder / f"example-{os.getpid()}"
    if not example.exists():
        for old in folder.glob("example*"):
            shutil.rmtree(old)
        for arguments in (("init", example, "--example"), ("pairs", example / "logs", "--study", example)):
            command = [sys.executable, "-m", "limen", *map(str, arguments)]
            subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    shutil.rmtree(folder / name, ignore_errors=True)
    return Path(shutil.copytree(example, folder / name))


async def begin_sessions(subject: Subject, count: int, lines: int = 32) -> list[str]:
    """Begin sessions and do their practice; give their tokens."""
    tokens: list[str] = []
    first = await connect("127.0.0.1", subject.port)
    page = (await first.ask(request_bytes("GET", "/", subject.host))).body.decode()
    first.close()
    consent = re.search(r'"consent_version":"(\w+)"', page)
    screening = {"english": "yes", "ai_use": "yes", "exposure": "no", "adult": "yes"}
    application = {"consent_version": consent[1] if consent else "", "screening": screening, "tab": "tab-1"}

    async def work() -> None:
        line = await connect("127.0.0.1", subject.port)
        while len(tokens) < count:
            tokens.append("")
            place = len(tokens) - 1
            created = await line.ask(json_request("POST", "/api/sessions", subject.host, application))
            token = tokens[place] = json.loads(created.body)["token"]
            for n in (1, 2):
                await line.ask(json_request("PUT", f"/api/sessions/{token}/practice/{n}", subject.host, ANSWER))
        line.close()

    await asyncio.gather(*(work() for _ in range(lines)))
    return tokens


def trials(subject: Subject, token: str) -> Iterator[bytes]:
    """Give the requests of one session's trials."""
    for n in range(1, TRIALS + 1):
        yield json_request("PUT", f"/api/sessions/{token}/trials/{n}", subject.host, ANSWER)


def scripts_of(subject: Subject, tokens: Sequence[str]) -> deque[Iterator[bytes]]:
    """Give the requests of many sessions."""
    return deque(trials(subject, token) for token in tokens)
