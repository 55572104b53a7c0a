"""From the command to the first page, the memory of a server that has served it, and what small commands cost.

Limen beside oTree's production server, and `limen --help` and `limen status` beside `python -c 'import pandas'`;
alternating, median of the rounds. What pip installs has its bytecode beside it, as the peers have here. Limen is run
from its source, so its bytecode is made first, also where Python is told to write none.
"""

import asyncio
import compileall
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from client import connect, request_bytes
from load import free_port
from machine import Row, children_of, keep, missing, resident_mb
from peers import OTREE, install, otree, otree_pages, otree_project
from subjects import Subject, a_study, limen

import limen as package
from limen.storage.store import open_store

ROUNDS = int(os.environ.get("LIMEN_BENCH_ROUNDS", "7"))
OUT = Path("out/bench").resolve()


async def first_page(subject: Subject, path: str) -> None:
    """Ask for a page until it is there."""
    line = await connect("127.0.0.1", subject.port)
    answer = await line.ask(request_bytes("GET", path, subject.host))
    line.close()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status}")


def timed(server: Callable[[], AbstractContextManager[Subject]], path: Callable[[Subject], str]) -> tuple[float, float]:
    """Give the seconds from the command to the first page, and the memory in MB after it."""
    began = time.perf_counter()
    with server() as subject:
        page = path(subject)
        asyncio.run(first_page(subject, page))
        return time.perf_counter() - began, sum(resident_mb(pid) for pid in children_of(subject.pid))


def servers() -> list[Row]:
    """Hold the start and the memory of a server against oTree's."""
    study = a_study(OUT, "start")
    programs = install(OUT / "peers", OTREE)
    if programs is None:
        return [missing("start to first page over oTree's", "oTree could not be installed")]
    project = otree_project(programs, OUT / "otree")

    @contextmanager
    def theirs() -> Iterator[Subject]:
        with otree(programs, project.parent, free_port(), fresh=False) as subject:
            yield subject

    found: dict[str, list[float]] = {"limen_s": [], "otree_s": [], "limen_mb": [], "otree_mb": []}
    for number in range(ROUNDS + 1):
        mine = timed(lambda: limen(study), lambda _: "/")
        other = timed(theirs, lambda subject: asyncio.run(otree_pages(subject, 1))[0])
        if number:  # the first round warms the disk's cache
            for name, value in zip(found, (mine[0], other[0], mine[1], other[1]), strict=True):
                found[name].append(value)

    def ratio(what: str, unit: str, goal: float) -> Row:
        ours, peer = found[f"limen_{unit}"], found[f"otree_{unit}"]
        figures: dict[str, float | list[float]] = {f"limen_{unit}": ours, f"otree_{unit}": peer}
        return Row(what=what, values=[a / b for a, b in zip(ours, peer, strict=True)], goal=goal, figures=figures)

    return [
        ratio("start to first page over oTree's", "s", 1.0),
        ratio("resident memory after it over oTree's", "mb", 0.8),
    ]


def commands() -> list[Row]:
    """Hold the CPU of small commands against importing pandas."""
    programs = install(OUT / "peers", "pandas")
    if programs is None:
        return [missing("limen --help and status over import pandas", "pandas could not be installed")]
    own = str(Path(sys.executable).with_name("limen"))
    study = str(a_study(OUT, "status"))
    with open_store(f"sqlite:///{study}/answers.sqlite"):
        pass
    run = {"help": [own, "--help"], "status": [own, "status", study]}
    pandas = [str(programs / "python"), "-c", "import pandas"]
    times: dict[str, list[float]] = {"help": [], "status": [], "pandas": []}
    for number in range(ROUNDS + 1):
        for name, command in {**run, "pandas": pandas}.items():
            seconds = _cpu_seconds(command)
            if number:
                times[name].append(seconds)
    rows = []
    for name, goal in (("help", 0.5), ("status", 1.0)):
        ratios = [a / b for a, b in zip(times[name], times["pandas"], strict=True)]
        figures: dict[str, float | list[float]] = {"limen_s": times[name], "pandas_s": times["pandas"]}
        title = f"CPU of `{'limen --help' if name == 'help' else 'limen status'}` over `import pandas`"
        rows.append(Row(what=title, values=ratios, goal=goal, figures=figures))
    return rows


def _cpu_seconds(command: list[str]) -> float:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"{command[:3]} failed")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    compileall.compile_dir(Path(package.__file__).parent, quiet=1)
    sys.exit(keep("start", [*servers(), *commands()], rounds=ROUNDS))
