"""What `limen drift` prints."""

import json
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING

from limen.cli.console import show_problems
from limen.core import notation
from limen.core.analysis.estimates import Undetermined
from limen.core.numerals import counted
from limen.core.observed import ObservedDrift

if TYPE_CHECKING:
    from rich.console import Console

    from limen.core.comparison import Agreement, Judge
    from limen.core.drift import Metric
    from limen.core.log_problems import Problems
    from limen.core.protocol import DriftRange
    from limen.workflow.measure import Measurement, MetricComparison

_FEW = 10  # replies with a line of their own; later ones share lines, each twice as wide as the one before
_BARS = "▁▂▃▄▅▆▇█"
_ACROSS, _DOWN, _WIDEST = 16, 12, 40


def show_measurement(console: "Console", measurement: "Measurement", files: int) -> None:
    """Print the distribution: a line a reply number, then a histogram of all."""
    from rich.table import Table

    console.print(_read(measurement.conversations, files), markup=False)
    show_problems(console, measurement.problems)
    whole = measurement.observed.summary()
    console.print(f"{measurement.metric}: {measurement.observed.sentence()}", markup=False)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("reply", "n", "lowest", "quartile", "median", "quartile", "highest"):
        table.add_column(name, justify="right")
    table.add_column("from lowest to highest")
    for label, observed in _lines(measurement.by_number):
        numbers = observed.summary()
        shape = _sparkline(observed.histogram(whole["min"], whole["max"], _ACROSS))
        quantiles = (f"{numbers[key]:.3f}" for key in ("min", "q25", "median", "q75", "max"))
        table.add_row(label, f"{observed.n:,}", *quantiles, shape)
    console.print(table)
    for line in _histogram(measurement.observed, whole):
        console.print(line, markup=False)


def measurement_json(measurement: "Measurement", metric: "Metric", remarks: Sequence[str]) -> str:
    """Give the same as JSON."""
    return _json(
        {
            "metric": metric.name,
            "version": metric.version,
            "range": [metric.low, metric.high],
            "conversations": measurement.conversations,
            "observed": measurement.observed.summary(),
            "by_reply": {str(number): observed.summary() for number, observed in measurement.by_number.items()},
            "problems": _problems(measurement.problems),
            "remarks": list(remarks),
        }
    )


def show_comparison(console: "Console", found: "MetricComparison", files: int) -> None:
    """Print the bounds of each metric, then how each two agree."""
    from rich.table import Table

    comparison = found.comparison
    replies = f"{comparison.replies:,} {'reply' if comparison.replies == 1 else 'replies'}"
    console.print(f"{_read(found.conversations, files)}, {replies}", markup=False)
    show_problems(console, found.problems)
    letters = {bounds.judge: _letter(place) for place, bounds in enumerate(comparison.bounds)}
    names = list(dict.fromkeys(name for bounds in comparison.bounds for name in bounds.ranges))
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("", "metric", "replies", *names):
        table.add_column(name, justify="right" if name == "replies" else "left", overflow="fold")
    for bounds in comparison.bounds:
        cells = [_band(bounds.ranges.get(name), bounds.counts.get(name, 0)) for name in names]
        table.add_row(letters[bounds.judge], str(bounds.judge), f"{bounds.n:,}", *cells)
    console.print(table)
    for how in dict.fromkeys(bounds.how for bounds in comparison.bounds):
        whose = ", ".join(letters[bounds.judge] for bounds in comparison.bounds if bounds.how == how)
        console.print(f"bounds of {whose}: {how}", markup=False)
    if not comparison.agreements:
        console.print("one metric and no recorded drift: nothing to compare it with", style="yellow")
        return
    _show_agreements(console, comparison.agreements, letters)


def _show_agreements(console: "Console", agreements: "Sequence[Agreement]", letters: "Mapping[Judge, str]") -> None:
    from rich.table import Table

    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("")
    for name in ("replies", "rank correlation", "differ", "opposite"):
        table.add_column(name, justify="right")
    for pair in agreements:
        table.add_row(
            f"{letters[pair.one]} and {letters[pair.other]}",
            f"{pair.n:,}",
            notation.decimal(pair.rank_correlation, 3),
            notation.percent(pair.differing),
            notation.percent(pair.opposite),
        )
    console.print(table)
    console.print("rank correlation: Spearman's; differ: replies in another condition by the one than by the other")
    console.print("opposite: in the lowest condition by one and in the highest by the other")


def comparison_json(found: "MetricComparison", remarks: Sequence[str]) -> str:
    """Give the same as JSON."""
    comparison = found.comparison
    return _json(
        {
            "conversations": found.conversations,
            "replies": comparison.replies,
            "metrics": [
                {
                    "metric": bounds.judge.metric,
                    "recorded": bounds.judge.recorded,
                    "replies": bounds.n,
                    "bounds_from": bounds.how,
                    "conditions": {
                        name: {"above": band.above, "below": band.below, "replies": bounds.counts[name]}
                        for name, band in bounds.ranges.items()
                    },
                }
                for bounds in comparison.bounds
            ],
            "agreements": [
                {
                    "one": str(pair.one),
                    "other": str(pair.other),
                    "replies": pair.n,
                    "spearman": _plain(pair.rank_correlation),
                    "differing": _plain(pair.differing),
                    "opposite": _plain(pair.opposite),
                }
                for pair in comparison.agreements
            ],
            "problems": _problems(found.problems),
            "remarks": list(remarks),
        }
    )


def _read(conversations: int, files: int) -> str:
    return f"read {counted(conversations, 'conversation')} from {counted(files, 'file')}"


def _lines(by_number: Mapping[int, ObservedDrift]) -> Iterator[tuple[str, ObservedDrift]]:
    last = max(by_number)
    for number in range(1, min(_FEW, last) + 1):
        if number in by_number:
            yield str(number), by_number[number]
    first, width = _FEW + 1, _FEW
    while first <= last:
        end = first + width - 1
        together = ObservedDrift()
        for number in range(first, end + 1):
            if number in by_number:
                together.merge(by_number[number])
        if together.n:
            yield f"{first}–{end}", together
        first, width = end + 1, 2 * width


def _sparkline(counts: Sequence[int]) -> str:
    most = max(counts)
    return "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] if count else " " for count in counts).rstrip()


def _histogram(observed: ObservedDrift, whole: Mapping[str, float]) -> Iterator[str]:
    low, high = whole["min"], whole["max"]
    bins = _DOWN if high > low else 1
    counts = observed.histogram(low, high, bins)
    most, step = max(counts), (high - low) / bins
    for place, count in enumerate(counts):
        stretch = f"{low + place * step:.3f}–{low + (place + 1) * step:.3f}"
        bar = "█" * -(-count * _WIDEST // most)
        yield f"{stretch:>15}  {bar}{' ' if bar else ''}{count:,}"


def _letter(place: int) -> str:
    return ascii_uppercase[place] if place < len(ascii_uppercase) else str(place + 1)


def _band(band: "DriftRange | None", count: int) -> str:
    return "–" if band is None else f"{_rounded(band)}: {count:,}"


def _rounded(band: "DriftRange") -> str:
    parts = [
        f"> {band.above:.3f}" if band.above is not None else "",
        f"< {band.below:.3f}" if band.below is not None else "",
    ]
    return " and ".join(filter(None, parts))


def _plain(value: float | Undetermined) -> object:
    return {"undetermined": value.reason} if isinstance(value, Undetermined) else value


def _problems(problems: "Problems") -> dict[str, object]:
    return {"total": problems.total, "by_reason": dict(problems.by_reason)}


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
