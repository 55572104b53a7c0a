"""Who reads: this process alone, one process a core, or the workers of a Dask cluster."""

import asyncio
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

from limen.errors import LogError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

WORTH_SHARING = 64 * 1024 * 1024
"""Fewer bytes are read before other processes have started."""

_AHEAD = 2  # chunks handed out for each worker, so that none waits; more would only fill memory
_CONNECT_S = 20


class Promised(Protocol[T_co]):
    """A result that is being made."""

    def result(self) -> T_co:
        """Wait for it."""
        ...


class Hands(Protocol):
    """Workers that work is handed to. `ahead` is how much may be under way at once."""

    ahead: int

    def hand(self, work: Callable[..., T], *arguments: object) -> Promised[T]:
        """Have something done."""
        ...


@contextmanager
def hands_for(total_bytes: int, *, workers: int | None = None, scheduler: str | None = None) -> Iterator[Hands | None]:
    """Give the hands that a command asks for: a cluster's, else one process a core; None to read alone."""
    if scheduler:
        with _cluster(scheduler) as cluster:
            yield cluster
        return
    count = _cores() if workers is None else workers
    if count < 2 or (workers is None and total_bytes < WORTH_SHARING):
        yield None
        return
    with _processes(count) as processes:
        yield processes


class _Processes:
    def __init__(self, pool: ProcessPoolExecutor, count: int) -> None:
        self._pool = pool
        self.ahead = _AHEAD * count

    def hand(self, work: Callable[..., T], *arguments: object) -> Promised[T]:
        return self._pool.submit(work, *arguments)


@contextmanager
def _processes(count: int) -> Iterator[_Processes]:
    # spawned, not forked: a fork of a process with threads (a progress bar has one) may hang
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=_leave_interrupts_to_the_parent)
    try:
        yield _Processes(pool, count)
    except BrokenProcessPool as problem:
        raise LogError(
            "a process that read the logs ended unexpectedly, perhaps for want of memory; --workers 1 reads in one"
        ) from problem
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Cluster:
    def __init__(self, client: Any) -> None:
        self._client = client
        threads = client.nthreads()
        self.ahead = _AHEAD * max(1, sum(threads.values()))

    def hand(self, work: Callable[..., T], *arguments: object) -> Promised[T]:
        promised: Promised[T] = self._client.submit(work, *arguments, pure=False)
        return promised


@contextmanager
def _cluster(address: str) -> Iterator[_Cluster]:
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError as problem:
        raise LogError("--scheduler needs Dask; install it with: pip install 'limen[cluster]'") from problem
    try:
        workers = asyncio.run(asyncio.wait_for(_workers(address), _CONNECT_S))
    except (OSError, ValueError, ImportError, TimeoutError) as problem:
        said = " ".join(str(problem).split()) or f"nothing within {_CONNECT_S} seconds"
        raise LogError(
            f"--scheduler {address}: no Dask scheduler answers there ({said}); start one with `dask scheduler` "
            "and give its address, such as tcp://127.0.0.1:8786"
        ) from problem
    if not workers:
        raise LogError(f"--scheduler {address}: the scheduler has no workers; start some with `dask worker`")
    connect: Any = Client  # it has no types
    client = connect(address, timeout=_CONNECT_S, set_as_default=False)
    try:
        yield _Cluster(client)
    finally:
        client.close()


async def _workers(address: str) -> int:
    """Ask a scheduler how many workers it has. A client that finds no scheduler would try on and leave threads."""
    from distributed.core import rpc  # noqa: PLC0415

    ask: Any = rpc  # it has no types
    parts = urlsplit(address if "://" in address else f"tcp://{address}")
    if not parts.hostname or not parts.port:
        raise ValueError("host and port were expected")
    _, writer = await asyncio.open_connection(parts.hostname, parts.port)  # refused at once where nobody listens
    writer.close()
    async with ask(address) as scheduler:
        found = await scheduler.identity()
    return len(found["workers"])
