"""docs/reference/benchmarks.md from what is in bench/results."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "bench" / "results"

_TITLES = {
    "load": "Answers under load",
    "endure": "Many at once, for long",
    "scale": "A million trials",
    "start": "Start and memory",
    "first_screen": "The first screen",
}
_NOT_COMPARABLE = """\
Potato and oTree do more with a request than Limen does: sessions with cookies, forms, pages made on the server. Potato
writes a user's whole state into a JSON file for each answer, and syncs it; oTree commits each request to SQLite. Each
runs as one process, by the command that its documentation names. The client is ours, on the same machine, and takes
part of its cores. A ratio to the disk depends on the disk: one that syncs very fast leaves little to be gained by
batching, and one that syncs slowly leaves much."""


def benchmarks(made: str) -> Iterator[str]:
    """Give the page."""
    yield "# Benchmarks"
    yield ""
    yield made
    yield ""
    yield "`scripts/bench load endure scale start first_screen` measures these on your machine. Each figure is the"
    yield "median of its rounds, with the lowest and the highest beside it."
    for name, title in _TITLES.items():
        file = RESULTS / f"{name}.json"
        if file.exists():
            yield from _table(title, json.loads(file.read_text()))
    yield ""
    yield "## What is not comparable"
    yield ""
    yield from _NOT_COMPARABLE.splitlines()
    soak = RESULTS / "soak.json"
    if soak.exists():
        yield from _soak(json.loads(soak.read_text()))


def _table(title: str, result: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""
    yield _measured(result)
    yield ""
    yield "| what | measured | goal | |"
    yield "|---|---|---|---|"
    for row in result["rows"]:
        yield f"| {row['what']} | {_value(row)} | {_goal(row)} | {_verdict(row['met'])} |"


def _measured(result: dict[str, Any]) -> str:
    machine = result["machine"]
    settings = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in result["settings"].items())
    return (
        f"{result['date']}; {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']:g} GB, "
        f"{machine['system']}, Python {machine['python']}; load average {machine['load_now']:g}; {settings}."
    )


def _value(row: dict[str, Any]) -> str:
    if row["median"] is None:
        return f"not measured: {row['note']}"
    spread = f" ({min(row['values']):g} to {max(row['values']):g})" if len(row["values"]) > 1 else ""
    return f"{row['median']:g} {row['unit']}{spread}"


def _goal(row: dict[str, Any]) -> str:
    return "" if row["goal"] is None else f"at {'least' if row['at_least'] else 'most'} {row['goal']:g} {row['unit']}"


def _verdict(met: bool | None) -> str:
    return {True: "met", False: "missed", None: ""}[met]


def _soak(result: dict[str, Any]) -> Iterator[str]:
    machine = result["machine"]
    yield ""
    yield "## Faults and hostile input, full form"
    yield ""
    yield f"`scripts/soak`, {result['date']}; {machine['cpu']}, {machine['cores']} cores. All of it passed:"
    yield ""
    yield "| what | figures |"
    yield "|---|---|"
    for one in result["passed"]:
        figures = ", ".join(f"{key.replace('_', ' ')} {_plain(value)}" for key, value in one.items() if key != "what")
        yield f"| {one['what']} | {figures} |"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "(" + ", ".join(f"{key}: {one}" for key, one in value.items()) + ")"
    return str(value)
