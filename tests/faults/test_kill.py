"""SIGKILL at random moments under load: every acknowledged answer is there afterwards, and none twice."""

import asyncio
import os
import random
import signal
import subprocess
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from faults.crowd import Crowd, everything_is_there
from faults.nursery import Nursery, Nursling
from faults.scale import KILLS, POSTGRES_KILLS, WORKER_KILLS, noted
from limen.storage.store import open_store
from postgres import OwnServer, a_database, free_port, own_server

PEOPLE = 16


async def under_load(crowd: Crowd, fault: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Let people take part while faults happen, and finish what they began when there are no more."""
    people = asyncio.create_task(crowd.come(PEOPLE))
    faults = asyncio.create_task(fault())
    done, _ = await asyncio.wait({people, faults}, return_when=asyncio.FIRST_COMPLETED)
    for task in done:
        task.result()
    crowd.stop = True
    await people


async def progress(crowd: Crowd) -> None:
    """Wait until something more was acknowledged, so that every fault hits a server at work."""
    before = len(crowd.answers)
    async with asyncio.timeout(60):
        while len(crowd.answers) == before:
            await asyncio.sleep(0.002)


def kill_again_and_again(nursery: Nursery, study: Path, options: tuple[str, ...]) -> Crowd:
    port, chance = free_port(), random.Random(7)  # noqa: S311 - moments, not secrets
    crowd = Crowd(port)
    servers: list[Nursling] = []

    def start() -> Nursling:
        servers.append(nursery.start(study, "--sessions-per-minute", 0, *options, port=port))
        return servers[-1]

    async def fault() -> None:
        for n in range(KILLS):
            server = start()
            if n % 5 == 4:  # in the middle of its start
                await asyncio.sleep(chance.uniform(0, 0.15))
            else:
                await progress(crowd)
                await asyncio.sleep(chance.uniform(0, 0.2))
            await asyncio.to_thread(server.end, signal.SIGKILL)
        start()
        await progress(crowd)

    asyncio.run(under_load(crowd, fault))
    assert servers[-1].end(signal.SIGTERM) < 10
    assert "every answer that was acknowledged is stored" in servers[-1].said()
    return crowd


def checked(address: str, crowd: Crowd, figures: dict[str, object]) -> None:
    with open_store(address) as store:
        store.read(lambda reading: everything_is_there(reading, crowd))
    assert crowd.sent_again > 0
    figures |= {"sessions": len(crowd.finished), "acknowledged": len(crowd.answers), "lost": 0, "twice": 0}


def test_nothing_acknowledged_is_lost_on_sqlite(study: Path, nursery: Nursery) -> None:
    with noted("SIGKILL of the server, SQLite") as figures:
        crowd = kill_again_and_again(nursery, study, ())
        checked(f"sqlite:///{study / 'answers.sqlite'}", crowd, figures)
        figures["kills"] = KILLS


def test_nothing_acknowledged_is_lost_on_postgresql(
    study: Path, nursery: Nursery, new_postgres_database: Callable[[], str]
) -> None:
    with noted("SIGKILL of the server, PostgreSQL") as figures:
        address = new_postgres_database()
        checked(address, kill_again_and_again(nursery, study, ("--database", address)), figures)
        figures["kills"] = KILLS
    assert not (study / "answers.sqlite").exists()


def test_nothing_is_lost_when_one_of_two_processes_is_killed(
    study: Path, nursery: Nursery, new_postgres_database: Callable[[], str]
) -> None:
    address, port, chance = new_postgres_database(), free_port(), random.Random(8)  # noqa: S311
    crowd = Crowd(port)
    options = ("--database", address, "--workers", "2", "--sessions-per-minute", "0")

    async def fault() -> None:
        for n in range(1, WORKER_KILLS + 1):
            await progress(crowd)
            await asyncio.sleep(chance.uniform(0, 0.3))
            os.kill(chance.choice(children(server.pid)), signal.SIGKILL)
            while server.said().count("is started again") < n:
                await asyncio.sleep(0.02)
        await progress(crowd)

    with noted("SIGKILL of one of two processes, PostgreSQL") as figures:
        server = nursery.start(study, *options, port=port)
        server.wait_until_up()
        asyncio.run(under_load(crowd, fault))
        assert server.end(signal.SIGTERM) < 10
        checked(address, crowd, figures)
        figures["kills"] = WORKER_KILLS
    assert server.said().count('"event": "serving"') == 2 + WORKER_KILLS


def test_nothing_is_lost_when_postgresql_is_killed(study: Path, nursery: Nursery) -> None:
    port, chance = free_port(), random.Random(9)  # noqa: S311
    crowd = Crowd(port)

    async def fault() -> None:
        for _ in range(POSTGRES_KILLS):
            await progress(crowd)
            await asyncio.sleep(chance.uniform(0, 0.3))
            await asyncio.to_thread(kill_and_start, database)
        await progress(crowd)

    with noted("SIGKILL of PostgreSQL") as figures, own_server() as database:
        address = a_database(database.address, "limen")
        server = nursery.start(study, "--database", address, "--sessions-per-minute", 0, port=port)
        server.wait_until_up()
        asyncio.run(under_load(crowd, fault))
        assert server.end(signal.SIGTERM) < 10
        checked(address, crowd, figures)
        figures["kills"] = POSTGRES_KILLS
    assert "the store can be written again" in server.said()


def kill_and_start(database: OwnServer) -> None:
    database.kill()
    database.start_again()


def children(pid: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]
