"""Makes the generated pages of docs/reference anew from the package itself.

Without an argument the pages are written. With --check nothing is written: stale pages are named, and the
exit code is 1 when there are any.
"""

import dataclasses
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import reference_benchmarks
import reference_results as results
import typer

from limen.cli.main import command_line
from limen.core.protocol import Protocol
from limen.dataset.analysis_file import analysis_schema
from limen.demo.example import example_log
from limen.logs.formats.canonical import conversation_schema
from limen.logs.reading import LogFiles
from limen.metrics.lexicon_files import built_in_lexicons, parse_lexicon
from limen.metrics.registry import MetricShelf
from limen.report.figures.canvas import draw
from limen.report.figures.compared import plot_comparison
from limen.study.field_notes import FIELD_NOTES
from limen.study.protocol_file import BUILT_IN, built_in_protocol, built_in_text
from limen.study.schemas import checks_schema, pairs_schema, protocol_schema
from limen.web import openapi
from limen.workflow.measure import compare_metrics

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "reference"
_MADE = "<!-- Made by scripts/reference.py from the package. Change the source, then run scripts/fix. -->"


def pages() -> dict[str, bytes]:
    """Give every generated page by its place in docs/reference."""
    return {
        "commands.md": _text(_commands()),
        "study-toml.md": _text(_study_toml()),
        "measures.md": _text(results.measures(_MADE)),
        "data-dictionary.md": _text(results.data_dictionary(_MADE)),
        "benchmarks.md": _text(reference_benchmarks.benchmarks(_MADE)),
        "openapi.json": openapi.encoded(),
        "schemas/study.schema.json": protocol_schema(),
        "schemas/extreme_pairs.schema.json": pairs_schema(),
        "schemas/attention_checks.schema.json": checks_schema(),
        "schemas/conversation.schema.json": conversation_schema(),
        "schemas/analysis.schema.json": analysis_schema(),
        "figures/metrics-on-the-example.svg": metrics_on_the_example(),
    } | {f"lexicon-{name}.md": _text(_lexicon(name)) for name in built_in_lexicons()}


def stale(folder: Path = REFERENCE) -> list[str]:
    """Name the pages in `folder` that are missing, differ from what would be made, or are made no longer."""
    wanted = pages()
    found = {f"schemas/{file.name}" for file in (folder / "schemas").glob("*.json")}
    found |= {f"figures/{file.name}" for file in (folder / "figures").glob("*.svg")}
    differing = [name for name, data in wanted.items() if _read(folder / name) != data]
    return sorted({*differing, *(found - set(wanted))})


def main(arguments: list[str]) -> int:
    """Write the pages, or say which are stale."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: reference.py [--check]\n")
        return 2
    names = stale()
    for name in names:
        if arguments:
            sys.stderr.write(f"stale: docs/reference/{name}; run scripts/fix\n")
            continue
        path = REFERENCE / name
        if name in pages():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(pages()[name])
        else:
            path.unlink()
    return int(bool(arguments and names))


# ---- commands ---------------------------------------------------------------------------------------------


def _commands() -> Iterator[str]:
    group: Any = typer.main.get_command(command_line())
    yield "# Commands"
    yield ""
    yield _MADE
    yield ""
    yield f"{group.help} `limen COMMAND --help` says the same as this page."
    yield "What the exit codes mean: [errors and exit codes](errors-and-exit-codes.md)."
    yield ""
    yield "Options of `limen` itself stand before the command:"
    yield ""
    yield from _parameters(group)
    for name, command in commands(group):
        arguments = " ".join(_label(p) for p in command.params if p.param_type_name == "argument")
        required = " ".join(_label(p) for p in command.params if p.param_type_name == "option" and p.required)
        yield ""
        yield f"## limen {name}"
        yield ""
        yield "```text"
        yield " ".join(part for part in ("limen", name, arguments, required, "[OPTIONS]") if part)
        yield "```"
        yield ""
        yield " ".join(command.help.split())
        yield ""
        yield from _parameters(command)


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Give every command that does something, with its whole name: those of a group after the group's name."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield before + name, command


def _parameters(command: Any) -> Iterator[str]:
    yield "| argument or option | default | meaning |"
    yield "|---|---|---|"
    for parameter in command.params:
        if parameter.hidden:
            continue
        yield f"| `{_label(parameter)}` | {_default_of(parameter)} | {_cell(parameter.help or '')} |"


def _label(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar or parameter.name.upper())
    names = " / ".join((*parameter.opts, *parameter.secondary_opts))
    return names if parameter.is_flag else f"{names} {parameter.metavar or parameter.name.upper()}"


def _default_of(parameter: Any) -> str:
    if parameter.required:
        return "required"
    if getattr(parameter, "is_flag", False):  # an argument has no such thing
        return "off"
    return "none" if parameter.default is None else f"`{parameter.default}`"


# ---- study.toml -------------------------------------------------------------------------------------------


def _study_toml() -> Iterator[str]:
    example = tomllib.loads(built_in_text())
    yield "# study.toml"
    yield ""
    yield _MADE
    yield ""
    yield "Every key of a study's `study.toml`, in the order of the file that `limen init` writes. A key without a"
    yield "default is required. An unknown key is an error, and so is a value that is not allowed; the message names"
    yield f"the file, the key, the value and what is allowed. The values of {BUILT_IN} are in"
    yield f"[`{BUILT_IN}.toml`](../../src/limen/study/protocols/{BUILT_IN}.toml). Editors that know TOML schemas find"
    yield "`study.schema.json` beside the file, named in its first line."
    for key in _in_file_order(Protocol, [example]):
        yield from _section(key, Protocol, key, [example])


def _section(key: str, owner: Any, place: str, tables: list[Mapping[str, Any]]) -> Iterator[str]:
    """Write a table of the file: its heading, its own keys, then the tables within it."""
    hint = _hint(owner, key)
    inner = [value for table in tables if key in table for value in _as_tables(table[key])]
    heading = place
    if get_origin(hint) is tuple:
        hint, heading = get_args(hint)[0], f"[{place}]"
    elif get_origin(hint) is Mapping:
        hint, heading = get_args(hint)[1], f"{place}.NAME"
        inner = [value for table in inner for value in table.values()]
    yield ""
    yield f"## `[{heading}]`"
    yield ""
    optional = "" if _default(owner, key) == "required" else " May be left out."
    yield FIELD_NOTES[f"{owner.__name__}.{key}"] + optional
    in_array = heading.startswith("[")
    names = _in_file_order(hint, inner)
    below = [name for name in names if _is_section(_hint(hint, name), in_array)]
    own = [name for name in names if name not in below]
    if own:
        yield ""
        yield "| key | type | default | meaning |"
        yield "|---|---|---|---|"
        for name in own:
            yield from _rows(name, hint, name)
    for name in below:
        yield from _section(name, hint, f"{place}.{name}", inner)


def _rows(key: str, owner: Any, place: str) -> Iterator[str]:
    hint = _hint(owner, key)
    note = _cell(FIELD_NOTES[f"{owner.__name__}.{key}"])
    yield f"| `{place}` | {_type(hint)} | {_default(owner, key)} | {note} |"
    if dataclasses.is_dataclass(hint):
        for field in dataclasses.fields(hint):
            yield from _rows(field.name, hint, f"{place}.{field.name}")


def _is_section(hint: Any, in_array: bool) -> bool:
    if get_origin(hint) is tuple:
        return dataclasses.is_dataclass(get_args(hint)[0])
    return dataclasses.is_dataclass(hint) and not in_array


def _in_file_order(hint: Any, tables: list[Mapping[str, Any]]) -> list[str]:
    """Give the fields in the order in which the file has them; those that it leaves out come last."""
    written = dict.fromkeys(key for table in tables for key in table)
    fields = [field.name for field in dataclasses.fields(hint)]
    return [*written, *(name for name in fields if name not in written)]


def _as_tables(value: Any) -> list[Mapping[str, Any]]:
    return [value] if isinstance(value, dict) else list(value)


def _hint(owner: Any, key: str) -> Any:
    hint = get_type_hints(owner)[key]
    if get_origin(hint) in (Union, UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint


def _type(hint: Any) -> str:
    plain = {int: "whole number", float: "number", str: "text", bool: "true or false"}
    if hint in plain:
        return plain[hint]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return "one of " + ", ".join(f"`{value}`" for value in hint)
    if get_origin(hint) is tuple:
        return f"list of {_type(get_args(hint)[0])}s"
    if get_origin(hint) is Mapping:
        return f"table of {_type(get_args(hint)[1])}s by name"
    return "table"


def _default(owner: Any, key: str) -> str:
    field = next(field for field in dataclasses.fields(owner) if field.name == key)
    if field.default_factory is not dataclasses.MISSING:
        return "empty"
    if field.default is dataclasses.MISSING:
        return "required"
    if field.default is None:
        return "none"
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    return f"`{field.default}`" if field.default not in ("", ()) else "empty"


# ---- lexicons ---------------------------------------------------------------------------------------------


def _lexicon(name: str) -> Iterator[str]:
    text = (resources.files("limen.metrics.lexicons") / f"{name}.toml").read_text("utf-8")
    lexicon = parse_lexicon(text, f"{name}.toml")
    notes = {group: note for note, group in re.findall(r"^# (.+)\n(\w+) = \[", text, re.MULTILINE)}
    entries = sum(len(words) for words in lexicon.groups.values())
    yield f"# The lexicon {name}"
    yield ""
    yield _MADE
    yield ""
    yield f"Version {lexicon.version}; {len(lexicon.groups)} groups, {entries} entries. It makes the metric"
    yield f"`keyword-rms/{name}`; the formula is in [drift metrics](drift-metrics.md). An entry is a word or a phrase;"
    yield "a final `*` stands for any ending. Case does not count. Another list of words is another metric and needs"
    yield "another name: [measure drift](../how-to/measure-drift.md) tells how."
    for group, words in lexicon.groups.items():
        yield ""
        yield f"## {group}"
        yield ""
        yield f"{notes.get(group, '')} {len(words)} entries.".strip()
        yield ""
        yield ", ".join(f"`{word}`" for word in words)


# ---- figures ----------------------------------------------------------------------------------------------


@cache
def metrics_on_the_example() -> bytes:
    """Draw what `limen drift compare` draws of the example log."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "example.jsonl"
        log.write_bytes(example_log())
        shelf = MetricShelf(cache_folder=Path(folder))
        metrics = [shelf.find(name) for name in _COMPARED]
        found = compare_metrics(LogFiles(names=[str(log)]), metrics, built_in_protocol())
        shelf.close()
    plotted = plot_comparison(found.comparison, found.table)
    return draw([plotted.sketch])[plotted.key].alone(plotted.alternative).encode()


_COMPARED = ("keyword-rms/limen-1", "lexical-char4", "cosine/wordllama/l2_supercat-256")


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _text(lines: Iterator[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
