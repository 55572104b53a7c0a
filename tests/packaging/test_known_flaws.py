"""The audit of dependencies finds what an advisory names, and only that."""

import json
import runpy
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

audit = SimpleNamespace(**runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "audit.py")))
PINS = {("PyPI", "starlette"): "1.10.0", ("npm", "esbuild"): "0.28.2"}


def an_advisory(name: str = "starlette", ecosystem: str = "PyPI", **affected: Any) -> dict[str, Any]:
    package = {"package": {"name": name, "ecosystem": ecosystem}}
    return {"id": "TEST-1", "summary": "It can be broken.", "affected": [package | affected]}


def events(*given: dict[str, str]) -> list[dict[str, Any]]:
    return [{"type": "ECOSYSTEM", "events": list(given)}]


@pytest.mark.parametrize(
    ("advisory", "hits"),
    [
        (an_advisory(versions=["1.9.0", "1.10.0"]), True),
        (an_advisory(versions=["1.9.0"]), False),
        (an_advisory(ranges=events({"introduced": "0"})), True),
        (an_advisory(ranges=events({"introduced": "0"}, {"fixed": "1.9.1"})), False),
        (an_advisory(ranges=events({"introduced": "0"}, {"fixed": "1.10.1"})), True),
        (an_advisory(ranges=events({"introduced": "0"}, {"last_affected": "1.10.0"})), True),
        (an_advisory(ranges=events({"introduced": "0"}, {"last_affected": "1.9.9"})), False),
        (an_advisory(ranges=events({"introduced": "0"}, {"fixed": "1.2"}, {"introduced": "1.9"})), True),
        (an_advisory(ranges=events({"introduced": "1.11"})), False),
        (an_advisory("Starlette", ranges=events({"introduced": "0"})), True),
        (an_advisory("starlette", "npm", ranges=events({"introduced": "0"})), False),
        (an_advisory("esbuild", "npm", ranges=events({"introduced": "0"}, {"fixed": "0.29.0"})), True),
        (an_advisory("another", ranges=events({"introduced": "0"})), False),
    ],
)
def test_a_pinned_version_is_found_where_an_advisory_is_about_it(advisory: dict[str, Any], hits: bool) -> None:
    assert [flaw.advisory for flaw in audit.flaws(PINS, [advisory])] == (["TEST-1"] if hits else [])


def test_advisories_are_read_from_both_forms_and_withdrawn_ones_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(an_advisory()))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "b.yaml").write_text("id: TEST-2\naffected: []\n")
    (tmp_path / "c.json").write_text(json.dumps(an_advisory() | {"withdrawn": "2024-01-01T00:00:00Z"}))
    (tmp_path / "LICENSE").write_text("x")
    assert [one["id"] for one in audit.advisories(tmp_path)] == ["TEST-1", "TEST-2"]


def test_everything_that_the_locks_pin_is_asked_for() -> None:
    pins = audit.pinned()
    assert {("PyPI", "starlette"), ("PyPI", "sqlalchemy"), ("npm", "esbuild"), ("npm", "typescript")} <= pins.keys()
    assert len(pins) > 150
