"""Values as JSON and back, by their types: what an Analysis is, analysis.json is.

A dataclass is an object. An estimate `x` is the plain number `x` with `x_interval`, `x_n` and `x_method` beside it. An
interval is [low, high]. Whatever could not be determined is {"undetermined": reason}. A field marked `flat` is a
mapping whose keys stand beside the other fields.
"""

import dataclasses
import math
import types
from collections.abc import Iterator, Mapping
from datetime import datetime
from enum import Enum
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from limen.core.analysis.estimates import Estimate, Interval, Undetermined
from limen.errors import DataError

UNDETERMINED = "undetermined"
LEVEL = 0.95


def to_plain(value: object) -> Any:  # noqa: PLR0911 - a line a kind of value
    """Turn a value into what JSON can hold."""
    if isinstance(value, Undetermined):
        return {UNDETERMINED: value.reason}
    if isinstance(value, Interval):
        return [value.low, value.high]
    if dataclasses.is_dataclass(value):
        return dict(_fields_of(value))
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(to_plain(key)): to_plain(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return [to_plain(part) for part in value]
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number for a file; answer Undetermined instead")
    return value


def from_plain(hint: Any, plain: Any, where: str = "$") -> Any:
    """Turn what JSON holds back into a value of the type `hint`; raises DataError naming the place."""
    arms = _arms(hint)
    if plain is None and type(None) in arms:
        return None
    if Undetermined in arms and isinstance(plain, dict) and plain.keys() == {UNDETERMINED}:
        return Undetermined(reason=plain[UNDETERMINED])
    arm = next(arm for arm in arms if arm not in (type(None), Undetermined))
    try:
        return _convert(arm, plain, where)
    except (TypeError, ValueError, KeyError, AttributeError) as problem:
        raise DataError(f"{where}: {problem}; expected what Limen writes there") from problem


def schema_of(hint: Any, title: str) -> dict[str, Any]:
    """Give the JSON Schema of a type as `to_plain` writes it."""
    definitions: dict[str, Any] = {}
    reference = _schema(hint, definitions)
    definitions["Undetermined"] = {
        "type": "object",
        "description": "A number that the data cannot answer, and why.",
        "properties": {UNDETERMINED: {"type": "string"}},
        "required": [UNDETERMINED],
        "additionalProperties": False,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **reference,
        "$defs": dict(sorted(definitions.items())),
    }


def _fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    for name, shape in _shapes(value.__class__):
        part = getattr(value, name)
        if shape is _Shape.FLAT:
            yield from to_plain(part).items()
        elif shape is _Shape.ESTIMATE:
            yield from _estimate_fields(name, part)
        else:
            yield name, to_plain(part)


class _Shape(Enum):
    PLAIN = 0
    FLAT = 1
    ESTIMATE = 2


@cache
def _shapes(kind: Any) -> tuple[tuple[str, _Shape], ...]:
    """Tell how each field of a dataclass is written; there may be a million values of one kind."""
    hints = _hints(kind)
    return tuple(
        (
            field.name,
            _Shape.FLAT
            if field.metadata.get("flat")
            else _Shape.ESTIMATE
            if Estimate in _arms(hints[field.name])
            else _Shape.PLAIN,
        )
        for field in dataclasses.fields(kind)
    )


def _estimate_fields(name: str, estimate: Estimate | Undetermined) -> Iterator[tuple[str, Any]]:
    if isinstance(estimate, Undetermined):
        yield name, to_plain(estimate)
        yield f"{name}_interval", to_plain(estimate)
        return
    yield name, estimate.value
    yield f"{name}_interval", to_plain(estimate.interval)
    yield f"{name}_n", estimate.n
    yield f"{name}_method", estimate.method


def _convert(hint: Any, plain: Any, where: str) -> Any:  # noqa: PLR0911 - a line a kind of value
    if dataclasses.is_dataclass(hint):
        return _dataclass_from(hint, plain, where)
    origin = get_origin(hint)
    if origin is tuple:
        return tuple(from_plain(get_args(hint)[0], part, f"{where}[{k}]") for k, part in enumerate(plain))
    if origin is Mapping:
        return {key: from_plain(get_args(hint)[1], part, f"{where}.{key}") for key, part in plain.items()}
    if hint is datetime:
        return datetime.fromisoformat(plain)
    if hint is float and isinstance(plain, int) and not isinstance(plain, bool):
        return float(plain)
    if issubclass(hint, Enum):
        return hint(plain)
    if not isinstance(plain, hint) or (hint is int and isinstance(plain, bool)):
        raise TypeError(f"{plain!r} is no {hint.__name__}")
    return plain


def _dataclass_from(kind: Any, plain: Any, where: str) -> Any:
    hints = _hints(kind)
    names = {field.name for field in dataclasses.fields(kind)}
    parts = {}
    for field in dataclasses.fields(kind):
        hint, place = hints[field.name], f"{where}.{field.name}"
        if field.metadata.get("flat"):
            flat = {key: part for key, part in plain.items() if key not in names}
            parts[field.name] = from_plain(hint, flat, where)
        elif Estimate in _arms(hint):
            parts[field.name] = _estimate_from(field.name, plain, where)
        elif Interval in _arms(hint):
            parts[field.name] = _interval_from(plain[field.name], field.metadata.get("level", LEVEL))
        else:
            parts[field.name] = from_plain(hint, plain[field.name], place)
    return kind(**parts)


def _estimate_from(name: str, plain: Mapping[str, Any], where: str) -> Estimate | Undetermined:
    if isinstance(plain[name], dict):
        return Undetermined(reason=plain[name][UNDETERMINED])
    return Estimate(
        value=float(plain[name]),
        interval=_interval_from(plain[f"{name}_interval"], LEVEL),
        n=plain[f"{name}_n"],
        method=plain[f"{name}_method"],
    )


def _interval_from(plain: Any, level: float) -> Interval | Undetermined:
    if isinstance(plain, dict):
        return Undetermined(reason=plain[UNDETERMINED])
    low, high = plain
    return Interval(low=float(low), high=float(high), level=level)


def _schema(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    parts = [_schema_of_arm(arm, definitions) for arm in _arms(hint)]
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


def _schema_of_arm(hint: Any, definitions: dict[str, Any]) -> dict[str, Any]:  # noqa: PLR0911 - a line a kind
    plain = {int: "integer", float: "number", str: "string", bool: "boolean", type(None): "null"}.get(hint)
    if plain:
        return {"type": plain}
    if hint is Undetermined:
        return {"$ref": "#/$defs/Undetermined"}
    if hint is Interval:
        return {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
    if hint is datetime:
        return {"type": "string", "format": "date-time"}
    if dataclasses.is_dataclass(hint):
        return _schema_of_dataclass(hint, definitions)
    if get_origin(hint) is tuple:
        return {"type": "array", "items": _schema(get_args(hint)[0], definitions)}
    if get_origin(hint) is Mapping:
        return {"type": "object", "additionalProperties": _schema(get_args(hint)[1], definitions)}
    return {"enum": [member.value for member in hint]}


def _schema_of_dataclass(kind: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    name = kind.__name__
    reference = {"$ref": f"#/$defs/{name}"}
    if name in definitions:
        return reference
    definition: dict[str, Any] = {"type": "object", "description": (kind.__doc__ or "").split("\n\n")[0]}
    definitions[name] = definition
    properties: dict[str, Any] = {}
    optional: set[str] = set()
    extra: Any = False
    for field in dataclasses.fields(kind):
        hint = _hints(kind)[field.name]
        if field.metadata.get("flat"):
            extra = _schema(get_args(hint)[1], definitions)
        elif Estimate in _arms(hint):
            properties |= _schema_of_estimate(field.name, definitions)
            optional |= {f"{field.name}_n", f"{field.name}_method"}
        else:
            properties[field.name] = _schema(hint, definitions)
    definition["properties"] = properties
    definition["required"] = [name for name in properties if name not in optional]
    definition["additionalProperties"] = extra
    return reference


def _schema_of_estimate(name: str, definitions: dict[str, Any]) -> dict[str, Any]:
    return {
        name: _schema(float | Undetermined, definitions),
        f"{name}_interval": _schema(Interval | Undetermined, definitions),
        f"{name}_n": {"type": "integer"},
        f"{name}_method": {"type": "string"},
    }


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _arms(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)
