"""analysis.json: a whole Analysis, with a published schema, and back."""

from typing import Any

import msgspec

from limen.core.findings import Analysis
from limen.dataset.codec import from_plain, schema_of, to_plain
from limen.errors import DataError

ANALYSIS_SCHEMA = "limen.analysis/1"


def encode_analysis(analysis: Analysis) -> bytes:
    """Give analysis.json, readable by a person, the same bytes for the same value."""
    plain = {"schema": ANALYSIS_SCHEMA} | to_plain(analysis)
    return msgspec.json.format(msgspec.json.encode(plain), indent=2) + b"\n"


def decode_analysis(data: bytes, where: str = "analysis.json") -> Analysis:
    """Read an Analysis back."""
    try:
        plain: Any = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise DataError(f"{where}: {problem}; it was changed or cut off: run `limen analyze` again") from problem
    if not isinstance(plain, dict) or plain.get("schema") != ANALYSIS_SCHEMA:
        raise DataError(f"{where}: expected {ANALYSIS_SCHEMA}; run `limen analyze` again")
    analysis: Analysis = from_plain(Analysis, plain, where)
    return analysis


def analysis_schema() -> bytes:
    """Give the JSON Schema of analysis.json."""
    schema = schema_of(Analysis, "analysis.json of a Limen study")
    definition = schema["$defs"]["Analysis"]
    definition["properties"] = {"schema": {"const": ANALYSIS_SCHEMA}, **definition["properties"]}
    definition["required"] = ["schema", *definition["required"]]
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"
