"""Counters in Prometheus' text form, summed over all processes of a server.

Every number has a fixed place in memory that the processes share, a row a process. Routes are counted by their
pattern, never by address, token or secret.
"""

import mmap
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence

from limen.web.operations import OPERATIONS
from limen.workflow.ports import WriterLoad

PAGES = ("/", "/pilot", "/preview", "/withdraw/{code}", "/status/{secret}", "/metrics/{secret}", "/healthz", "/readyz")
ROUTES = (*dict.fromkeys(operation.path for operation in OPERATIONS), *PAGES, "other")
STATUSES = (200, 201, 204, 400, 403, 404, 405, 408, 409, 410, 413, 415, 422, 429, 500, 503, 0)  # 0: any other
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "other")
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_HEALTHY, _RUNNING = "limen_store_up", "limen_workers"
_LOAD = {
    "waiting": ("limen_writes_waiting", "gauge", "Pieces of work that wait for the writer."),
    "written": ("limen_writes_total", "counter", "Pieces of work committed and synced."),
    "batches": ("limen_write_batches_total", "counter", "Commits."),
    "busy_s": ("limen_write_seconds_total", "counter", "Seconds from the begin of transactions to their commit."),
    "outages": ("limen_store_outages_total", "counter", "How often the store could not be written."),
}
_REQUESTS = len(ROUTES) * len(METHODS) * len(STATUSES)
_TIMES = len(ROUTES) * (len(BUCKETS_S) + 2)  # the buckets, one beyond them, the sum
_GAUGES = 2 + len(_LOAD)
_ROW = _REQUESTS + _TIMES + _GAUGES

_ROUTE_AT = {route: at for at, route in enumerate(ROUTES)}
_METHOD_AT = {method: at for at, method in enumerate(METHODS)}
_STATUS_AT = {status: at for at, status in enumerate(STATUSES)}


def shared_memory(workers: int) -> mmap.mmap:
    """Give memory for the counters of so many processes; those forked from here share it."""
    return mmap.mmap(-1, max(1, workers) * _ROW * 8)


class Metrics:
    """The counters of one process, and the sum over all."""

    def __init__(self, memory: mmap.mmap | None = None, worker: int = 0) -> None:
        self._all = memoryview(memory if memory is not None else shared_memory(1)).cast("d")
        self._row = self._all[worker * _ROW : (worker + 1) * _ROW]
        self._row[_REQUESTS + _TIMES + 1] = 1

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        at = _ROUTE_AT.get(route, len(ROUTES) - 1)
        by_method = at * len(METHODS) + _METHOD_AT.get(method, len(METHODS) - 1)
        self._row[by_method * len(STATUSES) + _STATUS_AT.get(status, len(STATUSES) - 1)] += 1
        times = _REQUESTS + at * (len(BUCKETS_S) + 2)
        self._row[times + bisect_left(BUCKETS_S, seconds)] += 1
        self._row[times + len(BUCKETS_S) + 1] += seconds

    def note_store(self, healthy: bool, load: WriterLoad) -> None:
        """Keep how the store of this process does."""
        gauges = _REQUESTS + _TIMES
        self._row[gauges] = healthy
        for n, name in enumerate(_LOAD):
            self._row[gauges + 2 + n] = getattr(load, name)

    def text(self) -> str:
        """Give all numbers, summed over the processes, as Prometheus reads them."""
        rows = [self._all[start : start + _ROW] for start in range(0, len(self._all), _ROW)]
        running = [row for row in rows if row[_REQUESTS + _TIMES + 1]]
        total = [sum(values) for values in zip(*running, strict=True)]
        return "".join(f"{line}\n" for line in _lines(total))


def _lines(total: Sequence[float]) -> Iterator[str]:
    yield from _head("limen_requests_total", "counter", "Requests answered, by pattern of their address.")
    places = ((route, method, status) for route in ROUTES for method in METHODS for status in STATUSES)
    for (route, method, status), n in zip(places, total, strict=False):
        if n:
            yield _sample("limen_requests_total", n, {"route": route, "method": method, "status": status or "other"})
    yield from _head("limen_request_seconds", "histogram", "How long answering took.")
    width = len(BUCKETS_S) + 2
    for at, route in enumerate(ROUTES):
        yield from _histogram(route, total[_REQUESTS + at * width : _REQUESTS + (at + 1) * width])
    gauges = total[_REQUESTS + _TIMES :]
    yield from _head(_HEALTHY, "gauge", "Processes that can write to the store.")
    yield _sample(_HEALTHY, gauges[0])
    yield from _head(_RUNNING, "gauge", "Processes that serve.")
    yield _sample(_RUNNING, gauges[1])
    for (name, kind, text), value in zip(_LOAD.values(), gauges[2:], strict=True):
        yield from _head(name, kind, text)
        yield _sample(name, value)


def _histogram(route: str, values: Sequence[float]) -> Iterator[str]:
    count = 0.0
    if not any(values):
        return
    for bound, n in zip((*BUCKETS_S, "+Inf"), values, strict=False):
        count += n
        yield _sample("limen_request_seconds_bucket", count, {"route": route, "le": bound})
    yield _sample("limen_request_seconds_sum", values[-1], {"route": route})
    yield _sample("limen_request_seconds_count", count, {"route": route})


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP {name} {text}"
    yield f"# TYPE {name} {kind}"


def _sample(name: str, value: float, labels: Mapping[str, object] | None = None) -> str:
    given = ",".join(f'{label}="{content}"' for label, content in (labels or {}).items())
    shown = int(value) if value == int(value) else value
    return f"{name}{{{given}}} {shown}" if given else f"{name} {shown}"
