"""The command line as a person uses it: commands that end, and a server that goes on until it is stopped."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from studies import QUALIFIES, STAND_IN_PAGE

ENVIRONMENT = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1", "PYTHONWARNINGS": "default"}


@dataclass
class Done:
    code: int
    out: str
    err: str


def limen(*arguments: object, **environment: str) -> Done:
    command = [sys.executable, "-m", "limen", *(str(a) for a in arguments)]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**ENVIRONMENT, **environment}, check=False, timeout=180
    )
    return Done(done.returncode, done.stdout, done.stderr)


def an_example_study(folder: Path) -> Path:
    """Make a study that is ready, with the stand-in page beside it."""
    for arguments in (("init", folder, "--example"), ("pairs", folder / "logs", "--study", folder)):
        done = limen(*arguments)
        assert done.code == 0, done.err
    (folder / "page.html").write_text(STAND_IN_PAGE)
    return folder


@dataclass
class Running:
    """A server process and what it printed at its start."""

    process: subprocess.Popen[str]
    participants: str  # where the study is, in a pilot too
    researcher: str

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(10)

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


@contextmanager
def a_server(folder: Path, *options: object) -> Iterator[Running]:
    """Start `limen serve` on a free port; killed at the end if it still runs."""
    arguments = ["serve", folder, "--port", 0, "--page-file", folder / "page.html", *options]
    process = subprocess.Popen(
        [sys.executable, "-m", "limen", *(str(a) for a in arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )
    try:
        assert process.stdout is not None
        links: dict[str, str] = {}
        while len(links) < 4:
            line = process.stdout.readline()
            assert line, f"the server did not start: {process.stderr.read() if process.stderr else ''}"
            found = re.match(r"(participants|try it out|researcher|answers)\s+(\S+)", line)
            if found:
                links[found[1]] = found[2]
        yield Running(process, links["participants"].removesuffix("/pilot").rstrip("/"), links["researcher"])
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def begin(client: httpx.Client) -> str:
    """Begin a session, and give its token."""
    boot = re.search(r'"consent_version":"(\w+)"', client.get("/").text)
    assert boot is not None
    body = {"consent_version": boot[1], "screening": QUALIFIES, "tab": "tab-1"}
    answer = client.post("/api/sessions", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])
