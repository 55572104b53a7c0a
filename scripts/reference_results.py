"""The generated pages about results: every measure from its docstring, every column and row from the dictionary."""

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from limen.core import analysis
from limen.dataset.dictionary import RAW_COLUMNS, SUMMARY_MEASURES

_HEADINGS = {
    "proportions": "Rates and counts",
    "tables": "Tables of counts",
    "contrasts": "Conditions against chance and against each other",
    "crossed": "Variance with raters and pairs as samples",
    "sensitivity": "Signal detection",
    "agreement": "Agreement",
    "agreement_intervals": "How sure an agreement is",
    "hierarchical": "Condition models",
    "mixed_models": "Mixed models",
    "laplace": "Laplace's approximation",
    "links": "Links",
    "trend": "Trend over trials",
}
"""Modules in the order of the page; one that is not named here comes last, under its own name."""

_NO_MEASURES = {"generators"}


def measures(note: str) -> Iterator[str]:
    """Give the page of measures."""
    yield "# Measures"
    yield ""
    yield note
    yield ""
    yield "Every measure of the analysis: its formula, when it applies, where it comes from, what it was checked"
    yield "against, and an example that runs. `Ratings` are the answers of raters (rows) to pairs (columns), true for"
    yield "SOMETHING'S OFF. A measure that the data cannot answer is `Undetermined`, with the reason. How they become"
    yield "an outcome: [the protocol and its contradictions](../explanation/the-protocol-and-its-contradictions.md)."
    names = [found.name for found in pkgutil.iter_modules(analysis.__path__) if found.name not in _NO_MEASURES]
    for name in sorted(names, key=[*_HEADINGS, *names].index):
        functions = list(_explained(importlib.import_module(f"{analysis.__name__}.{name}")))
        if functions:
            yield from ("", f"## {_HEADINGS.get(name, name.replace('_', ' ').capitalize())}")
        for function in functions:
            yield from ("", f"### {function.__name__}", "")
            yield from _docstring(function)


def _explained(module: ModuleType) -> Iterator[Any]:
    """Give the public functions of a module that name their source or show an example."""
    for name, function in vars(module).items():
        text = inspect.getdoc(function) or ""
        own = inspect.isfunction(function) and function.__module__ == module.__name__
        if own and not name.startswith("_") and ("Source:" in text or ">>>" in text):
            yield function


def _docstring(function: Any) -> Iterator[str]:
    """Give a docstring as Markdown, its example as a block."""
    words, _, example = (inspect.getdoc(function) or "").partition(">>> ")
    parts = words.strip().split("`")
    parts[::2] = [re.sub(r"([*_<\[\]])", r"\\\1", part) for part in parts[::2]]
    yield "`".join(parts)
    if example:
        yield from ("", "```python", f">>> {example}".rstrip(), "```")


def data_dictionary(note: str) -> Iterator[str]:
    """Give the page of columns and rows."""
    yield "# Data dictionary"
    yield ""
    yield note
    yield ""
    yield "What stands in the two tables that `limen analyze` writes; the other files are described in"
    yield "[result files](result-files.md)."
    yield ""
    yield "## raw_responses.csv"
    yield ""
    yield "One row a trial. An empty cell is a value that is not known, or does not apply."
    yield ""
    yield "| column | meaning |"
    yield "|---|---|"
    yield from (f"| `{name}` | {meaning} |" for name, meaning in RAW_COLUMNS.items())
    yield ""
    yield "## summary_stats.csv"
    yield ""
    yield "One number a row: `measure, scope, value, low, high, n, method`. `low` and `high` are the bounds of the"
    yield "interval (95 % unless the method says otherwise), `n` the answers it rests on. A number that could not be"
    yield "determined has no value, and the reason as its method. The formulas are in [measures](measures.md)."
    yield ""
    yield "| measure | meaning | scope names the |"
    yield "|---|---|---|"
    yield from (f"| `{name}` | {meaning} | {scope} |" for name, (meaning, scope) in SUMMARY_MEASURES.items())
