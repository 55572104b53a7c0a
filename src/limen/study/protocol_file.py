"""study.toml as a Protocol, with errors that name file, key, value and what is allowed."""

import dataclasses
import re
import tomllib
import types
from collections.abc import Mapping
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from limen.core.protocol import Protocol
from limen.errors import ProtocolError

BUILT_IN = "S3_EXP_003"


def built_in_text(name: str = BUILT_IN) -> str:
    """Give the study.toml of a protocol that comes with Limen, comments and all."""
    file = resources.files("limen.study.protocols") / f"{name}.toml"
    if not re.fullmatch(r"\w+", name) or not file.is_file():
        raise ProtocolError(f"protocol {name!r} does not come with Limen; use {BUILT_IN} or write a study.toml")
    return file.read_text("utf-8")


def built_in_protocol(name: str = BUILT_IN) -> Protocol:
    """Give a protocol that comes with Limen."""
    return parse_protocol(built_in_text(name), f"{name}.toml")


def read_protocol(path: Path) -> Protocol:
    """Read a study.toml."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as problem:
        raise ProtocolError(f"{path}: no such file; `limen init {path.parent}` writes one") from problem
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise ProtocolError(f"{path}: cannot be read ({why}); expected a text file in UTF-8") from problem
    return parse_protocol(text, str(path))


def parse_protocol(text: str, where: str) -> Protocol:
    """Read the text of a study.toml; `where` stands in errors."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # a number of too many digits is no TOMLDecodeError
        raise ProtocolError(f"{where}: not TOML: {problem}; mend that place") from problem
    _refuse_unknown_keys(table, Protocol, where, "")
    try:
        return msgspec.convert(table, Protocol)
    except msgspec.ValidationError as problem:
        raise ProtocolError(_explain(str(problem), table, where)) from problem


def _refuse_unknown_keys(value: object, hint: Any, where: str, path: str) -> None:
    hint = _without_none(hint)
    if dataclasses.is_dataclass(hint) and isinstance(value, dict):
        hints = get_type_hints(hint)
        for key, inner in value.items():
            place = f"{path}.{key}" if path else key
            if key not in hints:
                raise ProtocolError(f"{where}: {place}: unknown key; allowed here: {', '.join(hints)}")
            _refuse_unknown_keys(inner, hints[key], where, place)
    elif get_origin(hint) is tuple and isinstance(value, list):
        for k, inner in enumerate(value):
            _refuse_unknown_keys(inner, get_args(hint)[0], where, f"{path}[{k}]")
    elif get_origin(hint) is Mapping and isinstance(value, dict):
        for key, inner in value.items():
            _refuse_unknown_keys(inner, get_args(hint)[1], where, f"{path}.{key}")
    elif isinstance(value, int) and abs(value) > _LARGEST_INTEGER:
        raise ProtocolError(
            f"{where}: {path}: a whole number of {len(str(value))} digits; TOML has up to 19: shorten it"
        )


def _explain(problem: str, table: dict[str, object], where: str) -> str:
    """Turn msgspec's message into one that shows the value and what is allowed."""
    message, _, path = problem.partition(" - at `$")
    path = path.rstrip("`").lstrip(".").replace("[...]", "")
    value, hint = _look_up(path, table)
    place = f"{where}: {path}" if path else where
    shown = f" = {value!r}" if isinstance(value, str | int | float | bool) else ""
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return f"{place}{shown}: allowed: {', '.join(hint)}"
    word = message.partition(" ")[0]
    if isinstance(value, dict) and word in value:
        return f"{place}.{word} = {value[word]!r}: {message}"
    plain = message.replace("Object missing required field", "missing key").replace("`", "'")
    plain = _TYPES_EXPECTED.sub(lambda match: _in_words(match[1]), plain)
    return f"{place}{shown}: {plain}"


def _in_words(types: str) -> str:
    known = [_IN_WORDS[kind] for kind in types.split(" | ") if kind in _IN_WORDS]
    return f"{' or '.join(known) or types} is expected"


_LARGEST_INTEGER = 2**63 - 1
_TYPES_EXPECTED = re.compile(r"Expected '([^']+)', got '[^']+'")
_IN_WORDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text in quotes",
    "bool": "true or false",
    "array": "a list in [ ]",
    "object": "a table",
}


def _look_up(path: str, table: dict[str, object]) -> tuple[object, Any]:
    value: object = table
    hint: Any = Protocol
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", path):
        hint = _without_none(hint)
        if key and isinstance(value, dict):
            value = value.get(key)
            hint = get_type_hints(hint).get(key) if dataclasses.is_dataclass(hint) else get_args(hint)[1]
        elif index and isinstance(value, list):
            value, hint = value[int(index)], get_args(hint)[0]
        else:
            return None, None
    return value, _without_none(hint)


def _without_none(hint: Any) -> Any:
    if get_origin(hint) in (Union, types.UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return hint
