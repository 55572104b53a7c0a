"""2,000 participants in flight, each with an answer every 20 seconds, for ten minutes: no error, nothing lost."""

import asyncio
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import uvloop
from client import Tally, pace
from machine import Row, keep, resident_mb
from subjects import Subject, a_study, begin_sessions, limen, trials

PEOPLE = int(os.environ.get("LIMEN_BENCH_PEOPLE", "2000"))
SECONDS = float(os.environ.get("LIMEN_BENCH_SECONDS", "600"))
EVERY_S = 20.0
OUT = Path("out/bench").resolve()


async def run(subject: Subject, memory: list[float]) -> Tally:
    """Let all take part, and look at the server's memory meanwhile."""
    each = -(-int(SECONDS / EVERY_S + 1) // 23)  # how many sessions one person goes through
    tokens = await begin_sessions(subject, PEOPLE * each)

    def script(first: int) -> Iterator[bytes]:
        for token in tokens[first : first + each]:
            yield from trials(subject, token)

    async def watch() -> None:
        while True:
            memory.append(resident_mb(subject.pid))
            await asyncio.sleep(max(1.0, SECONDS / 60))

    watching = asyncio.create_task(watch())
    scripts = [script(n * each) for n in range(PEOPLE)]
    tally = await pace("127.0.0.1", subject.port, scripts, every_s=EVERY_S, seconds=SECONDS)
    watching.cancel()
    return tally


def main() -> int:
    """Measure, print, and write the result."""
    OUT.mkdir(parents=True, exist_ok=True)
    study, memory = a_study(OUT, "endure"), []
    with limen(study) as subject:
        tally = uvloop.run(run(subject, memory))
    connection = sqlite3.connect(study / "answers.sqlite")
    (stored,) = connection.execute("SELECT count(*) FROM trials").fetchone()
    connection.close()
    third = max(1, len(memory) // 3)
    growth = sorted(memory[-third:])[third // 2] - sorted(memory[third : 2 * third] or memory)[third // 2]
    what = f"{PEOPLE:,} participants in flight, {SECONDS:g} s"
    lost = max(0, len(tally.done) - stored)
    late, answers = tally.quantile(0.99) * 1000, len(tally.done)
    rows = [
        Row(what=f"{what}: errors", values=[sum(tally.errors.values())], goal=0, unit="requests"),
        Row(what=f"{what}: acknowledged but not stored", values=[lost], goal=0, unit="answers"),
        Row(what=f"{what}: memory at most", values=[max(memory)], goal=150, unit="MB"),
        Row(what=f"{what}: memory grown from the second third to the last", values=[growth], goal=5, unit="MB"),
        Row(what=f"{what}: p99", values=[late], unit="ms", figures={"answers": answers}),
    ]
    return keep("endure", rows, people=PEOPLE, seconds=SECONDS, every_s=EVERY_S)


if __name__ == "__main__":
    sys.exit(main())
