import json
import tomllib
from dataclasses import fields, is_dataclass
from typing import Any, get_args, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from builders import ListedLogs, enough_conversations, metrics, s3
from limen.core.protocol import Protocol
from limen.study.field_notes import FIELD_NOTES
from limen.study.pairs_file import encode_checks, encode_pairs
from limen.study.protocol_file import built_in_text
from limen.study.schemas import checks_schema, pairs_schema, protocol_schema
from limen.workflow.prepare import prepare_pairs


def _validator(schema: bytes) -> Draft202012Validator:
    loaded = json.loads(schema)
    Draft202012Validator.check_schema(loaded)
    return Draft202012Validator(loaded)


def test_the_built_in_study_toml_fits_its_schema() -> None:
    assert list(_validator(protocol_schema()).iter_errors(tomllib.loads(built_in_text()))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("seed = 20251228", 'seed = "x"'), ("[words]\n", "[words]\nextra = 1\n"), ('role = "target"', 'role = "goal"')],
)
def test_the_schema_refuses_what_limen_refuses(old: str, new: str) -> None:
    assert list(_validator(protocol_schema()).iter_errors(tomllib.loads(built_in_text().replace(old, new, 1))))


def test_the_files_limen_writes_fit_their_schemas() -> None:
    import datetime

    preparation = prepare_pairs(s3(), ListedLogs(enough_conversations()), metrics())
    pairs = json.loads(encode_pairs(preparation, datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)))
    assert list(_validator(pairs_schema()).iter_errors(pairs)) == []
    assert list(_validator(checks_schema()).iter_errors(json.loads(encode_checks(preparation.stimuli)))) == []


def _fields_of(kind: Any, found: set[str]) -> set[str]:
    if is_dataclass(kind):
        for field in fields(kind):
            found.add(f"{kind.__name__}.{field.name}")  # type: ignore[union-attr]
        for hint in get_type_hints(kind).values():
            _fields_of(hint, found)
    for part in get_args(kind):
        _fields_of(part, found)
    return found


def test_every_key_has_its_note_and_no_note_is_left_over() -> None:
    assert set(FIELD_NOTES) == _fields_of(Protocol, set())
