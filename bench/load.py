"""Answers under load: durable trials a second beside Potato, oTree, one commit a request, the disk and an echo.

Every round measures all of them one after another, so that a ratio compares what the machine could do at that time.
`LIMEN_BENCH_ROUNDS` and `LIMEN_BENCH_SECONDS` shorten it while one works on it.
"""

import os
import socket
import sys
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import uvloop
from client import Tally, pace, saturate
from machine import Row, children_of, cpu_seconds, disk_rate, keep, missing
from peers import OTREE, POTATO, install, otree, otree_scripts, potato, potato_scripts
from subjects import ANSWER, Subject, a_study, begin_sessions, limen, scripts_of, variant

ROUNDS = int(os.environ.get("LIMEN_BENCH_ROUNDS", "5"))
SECONDS = float(os.environ.get("LIMEN_BENCH_SECONDS", "5"))
OUT = Path("out/bench").resolve()

Prepare = Callable[[Subject], Coroutine[Any, Any, deque[Iterator[bytes]]]]


class Measured:
    """One run at full speed: answers a second, their times, and the server's CPU for each."""

    def __init__(
        self,
        subject: Subject,
        prepare: Prepare,
        connections: int,
        seconds: float = SECONDS,
        *,
        may_refuse: bool = False,  # a peer is measured by what it answered, although it refused some
    ) -> None:
        async def run() -> tuple[Tally, float]:
            scripts = await prepare(subject)
            self._before = cpu_seconds(pids)
            return await saturate("127.0.0.1", subject.port, scripts, connections=connections, seconds=seconds)

        pids = children_of(subject.pid)
        tally, began = uvloop.run(run())
        if not tally.done or (tally.errors and not may_refuse):
            raise SystemExit(f"not every request was answered well: {tally.errors}")
        self.count = len(tally.done)
        self.rate = tally.rate(began)
        self.p99_ms = tally.quantile(0.99) * 1000
        self.cpu_us = (cpu_seconds(pids) - self._before) / self.count * 1e6


def sessions(most_per_second: float, seconds: float = SECONDS) -> Prepare:
    """Begin as many sessions as a run can use up."""

    async def prepare(subject: Subject) -> deque[Iterator[bytes]]:
        count = int(most_per_second * seconds / 23) + 300
        return scripts_of(subject, await begin_sessions(subject, count))

    return prepare


async def _echoes(subject: Subject) -> deque[Iterator[bytes]]:
    return scripts_of(subject, ["A" * 22] * int(30_000 * SECONDS / 23))


def peers_of(scripts: Callable[[Subject, int], Coroutine[Any, Any, list[Iterator[bytes]]]], count: int) -> Prepare:
    """Prepare participants of a peer."""

    async def prepare(subject: Subject) -> deque[Iterator[bytes]]:
        return deque(await scripts(subject, count))

    return prepare


def free_port() -> int:
    """Give a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def throughput() -> list[Row]:
    """Measure 32 connections at full speed."""
    found: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        found.setdefault(name, []).append(value)

    places = {name: install(OUT / "peers", name) for name in (POTATO, OTREE)}
    for number in range(ROUNDS + 1):
        if number == 1:
            found.clear()  # the first round has warmed the disk's cache for all of them
        with limen(a_study(OUT, "load")) as subject:
            run = Measured(subject, sessions(14_000), 32)
            note("limen", run.rate)
            note("limen_cpu_us", run.cpu_us)
        with variant("one-commit", a_study(OUT, "one-commit")) as subject:
            note("one_commit", Measured(subject, sessions(6000), 32).rate)
        with variant("echo") as subject:
            note("echo", Measured(subject, _echoes, 32).rate)
        note("disk", disk_rate(OUT))
        if (programs := places[POTATO]) is not None:
            with potato(programs, OUT / f"potato-{number}", free_port()) as subject:
                note("potato", Measured(subject, peers_of(potato_scripts, 96), 32, may_refuse=True).rate)
        if (programs := places[OTREE]) is not None:
            with otree(programs, OUT / "otree", free_port()) as subject:
                note("otree", Measured(subject, peers_of(otree_scripts, 96), 32, may_refuse=True).rate)

    def ratio(what: str, peer: str, goal: float, note: str = "") -> Row:
        if peer not in found:
            return missing(what, f"{peer} could not be installed")
        values = [ours / theirs for ours, theirs in zip(found["limen"], found[peer], strict=True)]
        figures: dict[str, float | list[float]] = {"limen_per_s": found["limen"], f"{peer}_per_s": found[peer]}
        return Row(what=what, values=values, goal=goal, at_least=True, figures=figures, note=note)

    return [
        ratio("durable trials/s over Potato 2.12, 32 connections", "potato", 10, "Potato writes a JSON file a user"),
        ratio("durable trials/s over oTree 6, 32 connections", "otree", 50, "on SQLite; the form, not the next page"),
        ratio("durable trials/s over one commit a request", "one_commit", 2.5),
        ratio("durable trials/s over the disk's append + fdatasync", "disk", 1, "512 bytes a record"),
        Row(what="server CPU per trial", values=found["limen_cpu_us"], goal=400, unit="µs"),
        ratio("durable trials/s over the same server's bare echo", "echo", 0.25),
    ]


def latency() -> list[Row]:
    """Measure 256 participants: at about a post a second each, and as fast as it goes."""
    paced: list[float] = []
    ours: list[float] = []
    theirs: list[float] = []
    programs = install(OUT / "peers", POTATO)
    for number in range(ROUNDS):
        with limen(a_study(OUT, "latency")) as subject:

            async def post(subject: Subject = subject) -> Tally:
                scripts = list(scripts_of(subject, await begin_sessions(subject, 256)))
                return await pace("127.0.0.1", subject.port, scripts, every_s=1.0, seconds=2 * SECONDS)

            tally = uvloop.run(post())
            if tally.errors:
                raise SystemExit(f"not every request was answered well: {tally.errors}")
            paced.append(tally.quantile(0.99) * 1000)
            ours.append(Measured(subject, sessions(14_000), 256).p99_ms)
        if programs is not None:
            with potato(programs, OUT / f"potato-latency-{number}", free_port()) as subject:
                run = Measured(subject, peers_of(potato_scripts, 288), 256, 2 * SECONDS, may_refuse=True)
                theirs.append(run.p99_ms)
    rows = [Row(what="p99 of 256 participants, a post a second each", values=paced, goal=100, unit="ms")]
    if not theirs:
        return [*rows, missing("p99 saturated at 256, over Potato's", "Potato could not be installed")]
    values = [mine / other for mine, other in zip(ours, theirs, strict=True)]
    figures: dict[str, float | list[float]] = {"limen_p99_ms": ours, "potato_p99_ms": theirs}
    return [*rows, Row(what="p99 saturated at 256, over Potato's", values=values, goal=0.1, figures=figures)]


def processes() -> list[Row]:
    """Measure PostgreSQL with two processes against one, at 256 connections."""
    sys.path.insert(0, "tests")
    from postgres import a_database, own_server  # noqa: PLC0415 - where a PostgreSQL for tests is started

    rates: dict[int, list[float]] = {1: [], 2: []}
    late: dict[int, list[float]] = {1: [], 2: []}
    with own_server() as server:
        for number in range(ROUNDS):
            for workers in (1, 2):
                address = a_database(server.address, f"bench_{number}_{workers}")
                options = ("--database", address, "--workers", workers)
                with limen(a_study(OUT, "processes"), *options) as subject:
                    run = Measured(subject, sessions(5000), 256)
                    rates[workers].append(run.rate)
                    late[workers].append(run.p99_ms)
    gains = [two / one for one, two in zip(rates[1], rates[2], strict=True)]
    delays = [two / one for one, two in zip(late[1], late[2], strict=True)]
    figures: dict[str, float | list[float]] = {"one_per_s": rates[1], "two_per_s": rates[2]}
    return [
        Row(
            what="PostgreSQL, 2 processes over 1, 256 connections",
            values=gains,
            goal=1.2,
            at_least=True,
            figures=figures,
        ),
        Row(
            what="p99 of 2 processes over that of 1",
            values=delays,
            goal=1.0,
            figures={"one_ms": late[1], "two_ms": late[2]},
        ),
    ]


PARTS = {"throughput": throughput, "latency": latency, "processes": processes}


def main() -> int:
    """Measure what is asked for, all of it by default."""
    OUT.mkdir(parents=True, exist_ok=True)
    rows = [row for name in (sys.argv[2:] or PARTS) for row in PARTS[name]()]
    return keep("load", rows, rounds=ROUNDS, seconds=SECONDS, answer_bytes=len(str(ANSWER)))


if __name__ == "__main__":
    sys.exit(main())
