"""The example study from its log to its result files, in a form that is the same on every machine.

`limen init --example`, `pairs`, `simulate --straight` and `analyze`, as a person types them. What differs from run to
run, the block "made on, with", is taken out; numbers are kept to ten significant digits; each drawing is replaced by
the digest of what it plots.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commands import limen
from limen.dataset.analysis_file import decode_analysis
from limen.report.figures.gallery import plot_all
from limen.report.figures.plotted import Plotted
from limen.report.sections.made import MADE

DIGITS = 10

RATERS = {
    "--raters": 12,
    "--character": "perceptive",
    "--d-prime": 1.6,
    "--criterion": 0.2,
    "--rater-spread": 0.5,
    "--pair-spread": 0.6,
    "--lapse-rate": 0.05,
    "--words-per-minute": 238,
}
"""Written out, so that other defaults of the command do not change the golden files."""


@dataclass(frozen=True, kw_only=True)
class Example:
    """The study's folder, and where its results are."""

    folder: Path
    results: Path

    def text(self, name: str) -> str:
        return (self.results / name).read_text("utf-8")


def make_example(folder: Path) -> Example:
    """Make the study and analyze it."""
    options = [str(part) for option in RATERS.items() for part in option]
    for command in (
        ("init", folder, "--example"),
        ("pairs", folder / "logs", "--study", folder),
        ("simulate", folder, "--straight", *options),
        ("analyze", folder, "--mode", "simulated"),
    ):
        done = limen(*command)
        assert done.code == 0, f"limen {' '.join(map(str, command))}: {done.err}"
    return Example(folder=folder, results=folder / "results")


def golden_files(example: Example) -> dict[str, str]:
    """Give the four files as they are kept."""
    return {
        "analysis.json": _analysis(example.text("analysis.json")),
        "summary_stats.csv": _summary(example.text("summary_stats.csv")),
        "analysis_report.md": example.text("analysis_report.md").split("\n## Made on, with")[0] + "\n",
        "report.html": _page(example),
    }


def numbers_apart(text: str) -> tuple[str, list[float]]:
    """Take the numbers with a fraction out of a file, so that their last digit may be told apart from the rest."""
    return _FRACTION.sub("#", text), [float(found) for found in _FRACTION.findall(text)]


_FRACTION = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[-+]?\d+)?(?![\w.])")


def _analysis(text: str) -> str:
    plain = json.loads(text)
    del plain["made"]
    return json.dumps(_rounded(plain), indent=2, ensure_ascii=False) + "\n"


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: _rounded(part) for key, part in value.items()}
    return [_rounded(part) for part in value] if isinstance(value, list) else value


def _summary(text: str) -> str:
    kept = io.StringIO()
    csv.writer(kept, lineterminator="\n").writerows(map(_cells, csv.reader(io.StringIO(text))))
    return kept.getvalue()


def _cells(row: list[str]) -> Iterator[str]:
    for cell in row:
        yield str(_rounded(float(cell))) if _FRACTION.fullmatch(cell) else cell


def _page(example: Example) -> str:
    analysis = decode_analysis(example.text("analysis.json").encode())
    page = re.sub(rf'<section id="{MADE}".*?</section>', "", example.text("report.html"), flags=re.DOTALL)
    for key, plot in plot_all(analysis).items():
        if isinstance(plot, Plotted):
            drawing = rf'(<figure id="figure-{key}">\s*<div class="drawing">).*?(</div>)'
            stand_in = rf"\1<!-- {key}: plotted data {plot.digest()} -->\2"
            page, found = re.subn(drawing, stand_in, page, count=1, flags=re.DOTALL)
            assert found == 1, f"figure {key} is not in the page"
    return page
