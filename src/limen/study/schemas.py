"""JSON Schemas of the files that Limen reads and writes, made from their types."""

from typing import Any

import msgspec

from limen.core.protocol import Protocol
from limen.study.field_notes import FIELD_NOTES
from limen.study.pairs_file import ChecksFile, PairsFile

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def protocol_schema() -> bytes:
    """Give the JSON Schema of study.toml, with what each key means, for editors."""
    schema = _schema(Protocol, "study.toml of a Limen study")
    for name, definition in schema["$defs"].items():
        if "properties" in definition:
            definition["additionalProperties"] = False
            for key, value in definition["properties"].items():
                _describe(value, FIELD_NOTES[f"{name}.{key}"])
    return _encoded(schema)


def pairs_schema() -> bytes:
    """Give the JSON Schema of extreme_pairs.json."""
    return _encoded(_schema(PairsFile, "extreme_pairs.json of a Limen study"))


def checks_schema() -> bytes:
    """Give the JSON Schema of attention_checks.json."""
    return _encoded(_schema(ChecksFile, "attention_checks.json of a Limen study"))


def _schema(kind: type, title: str) -> dict[str, Any]:
    schema = msgspec.json.schema(kind)
    return {"$schema": _DIALECT, "title": title, **schema}


def _describe(value: dict[str, Any], note: str) -> None:
    value["description"] = note


def _encoded(schema: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"
