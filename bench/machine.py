"""The machine, its disk, and how results are kept: a table of rows, each a ratio or a figure with its goal."""

import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table. `values` has one figure a round; the median is held against the goal."""

    what: str
    values: Sequence[float]
    goal: float | None = None
    at_least: bool = False  # whether the goal is a lower bound
    unit: str = "×"
    note: str = ""
    figures: dict[str, float | list[float]] = field(default_factory=dict)  # what the values were made from

    @property
    def median(self) -> float | None:
        """The middle of all rounds."""
        return statistics.median(self.values) if self.values else None

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None where nothing was measured or there is none."""
        if self.goal is None or self.median is None:
            return None
        return self.median >= self.goal if self.at_least else self.median <= self.goal


def missing(what: str, why: str) -> Row:
    """Give the row of something that could not be measured here."""
    return Row(what=what, values=(), note=why)


def keep(name: str, rows: Sequence[Row], **settings: object) -> int:
    """Print the table, write bench/results/NAME.json, and give how many goals were missed."""
    result = {
        "name": name,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "machine": describe(),
        "settings": settings,
        "rows": [
            {
                **asdict(row),
                "values": [_short(value) for value in row.values],
                "median": None if row.median is None else _short(row.median),
                "met": row.met,
                "figures": {key: _rounded(value) for key, value in row.figures.items()},
            }
            for row in rows
        ],
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n")
    for row in rows:
        print(_line(row))  # noqa: T201 - it is what a benchmark is for
    return sum(row.met is False for row in rows)


def describe() -> dict[str, object]:
    """Say what this was measured on, and what else it had to do."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in _read("/proc/cpuinfo").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory_kb = next((line.split()[1] for line in _read("/proc/meminfo").splitlines() if "MemTotal" in line), "0")
    return {
        "cpu": cpu,
        "cores": os.cpu_count() or 0,
        "memory_gb": round(int(memory_kb) / 1e6, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load_before": round(os.getloadavg()[2], 1),
        "load_now": round(os.getloadavg()[0], 1),
    }


def disk_rate(folder: Path, seconds: float = 1.5, size: int = 512) -> float:
    """Give how often a second this disk appends a record and syncs it: what one commit a record could reach."""
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        done, began = 0, time.perf_counter()
        while (now := time.perf_counter()) - began < seconds:
            os.write(file.fileno(), b"x" * size)
            os.fdatasync(file.fileno())
            done += 1
    return done / (now - began)


def cpu_seconds(pids: Sequence[int]) -> float:
    """Give the CPU that processes have used so far, user and system."""
    ticks = 0
    for pid in pids:
        fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident_mb(pid: int) -> float:
    """Give the memory that a process has in use."""
    return int(_read(f"/proc/{pid}/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def children_of(pid: int) -> list[int]:
    """Give a process and all that it started."""
    own = [int(child) for child in _read(f"/proc/{pid}/task/{pid}/children").split()]
    return [pid, *(process for child in own for process in children_of(child))]


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""


def _line(row: Row) -> str:
    if row.median is None:
        return f"{row.what}: not measured ({row.note})"
    spread = f" ({_short(min(row.values)):g} to {_short(max(row.values)):g})" if len(row.values) > 1 else ""
    goal = "" if row.goal is None else f", goal {'at least' if row.at_least else 'at most'} {row.goal:g}"
    verdict = {True: ": met", False: ": MISSED", None: ""}[row.met]
    return f"{row.what}: {_short(row.median):g} {row.unit}{spread}{goal}{verdict}"


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _rounded(value: float | list[float]) -> float | list[float]:
    return [_short(one) for one in value] if isinstance(value, list) else _short(value)
