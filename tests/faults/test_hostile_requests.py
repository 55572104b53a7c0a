"""Thousands of requests made from the interface's own description, and a corpus of nasty strings: no 5xx, no hang."""

import json
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import HookContext
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from builders import s3
from faults.scale import REQUESTS, SOAK, noted
from limen.core.sessions import Mode, Part, Session
from limen.storage.store import open_store
from limen.web.openapi import describe
from limen.web.operations import OPERATIONS
from limen.workflow.ports import Reading
from limen.workflow.served import serve_study
from serving import RESEARCHER, Served, serving
from studies import a_stimulus_set, an_answer, an_application

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
NASTY: list[Any] = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "'; DROP TABLE trials; --",
    "\u202e\u2066\u200f\u200b\ufeff",
    "\u0000",
    "\ud800",
    "💥" * 300,
    "A" * 1_000_000,
    "../../etc/passwd",
    "{{7*7}}${7*7}#{7*7}",
    "%s%s%s%n",
    "\r\nSet-Cookie: a=b",
    "=cmd|' /C calc'!A0",
    "NaN",
    float("nan"),
    float("inf"),
    10**400,
    -(10**18),
    1e-320,
    True,
    None,
    [],
    {},
    [[[[[[[[[[]]]]]]]]]],
    {"__proto__": {"x": 1}},
]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with open_store(f"sqlite:///{tmp_path / 'answers.sqlite'}") as store, serving(store=store) as running:
        yield running


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Served]:
    """Serve a study of two pairs, so that chance comes to the end of it now and then."""
    whole = a_stimulus_set()
    few = replace(whole, stimuli=(whole.stimuli[0], whole.stimuli[-1]), checks=())
    study = serve_study(s3(), few, live=True)
    with open_store(f"sqlite:///{tmp_path / 'answers.sqlite'}") as store, serving(study, store) as running:
        yield running


def answered(served: Served) -> Counter[str]:
    """Give how often each status was answered so far, by the server's own counters."""
    text = served.client.get(f"/metrics/{RESEARCHER}").text
    found = re.findall(r'limen_requests_total\{.*status="(\w+)"\} (\d+)', text)
    counted: Counter[str] = Counter()
    for status, n in found:
        counted[status] += int(n)
    return counted


def sessions_at_every_stage(served: Served) -> list[str]:
    """Begin sessions of two pairs, and take them some way: chance alone seldom comes to the later stages."""
    tokens = [served.begin() for _ in range(4)]
    for token in tokens[1:]:
        served.practice(token)
    served.answer(tokens[2], 1, 1)
    served.answer(tokens[3], 1, 2)
    return tokens


def live_sessions(reading: Reading) -> tuple[Session, ...]:
    return reading.sessions(Mode.LIVE)


def only_valid_things_are_stored(served: Served) -> int:
    rows = 0
    for mode in Mode:
        for session in served.store.read(lambda reading, m=mode: reading.sessions(m)):  # type: ignore[misc]
            for part in Part:
                records = served.store.read(lambda reading, s=session, p=part: reading.records(s, p))  # type: ignore[misc]
                assert [record.number for record in records] == list(range(1, len(records) + 1))
                assert all(0 <= record.judgment.b_seen <= 1 for record in records)
                assert all(record.judgment.response_time_ms >= 0 for record in records)
                rows += len(records)
    return rows


def test_requests_made_from_the_description_break_nothing(short: Served) -> None:
    served = short
    schema = schemathesis.openapi.from_dict(describe())
    schema.config.update(base_url=str(served.client.base_url).rstrip("/"))

    valid = {
        **an_application(served.study),
        **{name: value for name, value in an_answer().items() if name != "response"},
        "options": [],
        "other": "",
        "skipped": True,
        "age": None,
        "use": None,
        "keep": True,
    }

    @schema.hook("map_body")
    def sometimes_valid(_context: HookContext, body: Any) -> Any:
        if isinstance(body, dict) and "screening" in body:  # a request id that was used before would be refused later
            body = {name: value for name, value in body.items() if name != "request"}
        if not isinstance(body, dict) or crc32(repr(body).encode("utf-8", "replace")) % 10 < 2:  # the same every time
            return body
        return {name: valid.get(name, value) for name, value in body.items()}

    class Machine(schema.as_state_machine()):  # type: ignore[misc]
        """Holds every answer against the description.

        Not checked: that whatever fits the schema is taken. 1689.0 is no whole number here, and a time that has the
        right form may still not exist.
        """

        def setup(self) -> None:
            self.under_way = sessions_at_every_stage(served)
            by_hand.update({"201": len(served.heard)}, rows=9)
            served.heard.clear()

        def before_call(self, case: Any) -> None:
            """Let half of the requests be about sessions that are on their way."""
            given = case.path_parameters
            chance = crc32(repr((case.path, case.body)).encode("utf-8", "replace"))  # the same every time
            if given and "token" in given and chance % 2:
                stage = chance // 2 % 4
                case.path_parameters = {**given, "token": self.under_way[stage]}
                if "number" in given:
                    case.path_parameters["number"] = 2 if stage == 2 else 1

        def validate_response(self, response: Any, case: Any, additional_checks: Any = None, **kwargs: Any) -> None:
            checks = [
                not_a_server_error,
                status_code_conformance,
                content_type_conformance,
                response_schema_conformance,
            ]
            case.validate_response(response, checks=checks, transport_kwargs=kwargs)

    before, by_hand = answered(served), Counter[str]()
    with noted("requests made from the OpenAPI description, with links") as figures:
        Machine.run(
            settings=settings(
                max_examples=REQUESTS // 40,
                stateful_step_count=20,
                deadline=None,
                derandomize=not SOAK,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
        )
        found = answered(served) - before - by_hand
        assert not [status for status in found if status.startswith("5")]
        stored = only_valid_things_are_stored(served) - by_hand["rows"]
        finished = sum(session.finished is not None for session in served.store.read(live_sessions))
        assert stored > REQUESTS // 200, "many answered something"
        assert finished > 0, "and some came to the end"
        figures |= {"requests": found.total(), "by_status": dict(found)}
        figures |= {"valid_rows_stored": stored, "sessions_finished": finished}


def test_nasty_strings_everywhere_break_nothing(served: Served) -> None:
    chance = random.Random(4)  # noqa: S311
    token = served.begin()
    served.practice(token)
    valid = {**an_answer(), **an_application(served.study), "what": "landed", "text": "x", "keep": True}
    slowest, before = 0.0, answered(served)
    with noted("nasty strings in every field") as figures:
        for n in range(REQUESTS // 2):
            operation = chance.choice([o for o in OPERATIONS if o.body is not None])
            assert operation.body is not None
            body = {name: valid.get(name) for name in operation.body.__struct_fields__}
            body[chance.choice(list(body))] = chance.choice(NASTY)
            path = operation.path.format(token=token, number=chance.randrange(30), screen="consent")
            began = time.monotonic()
            answer = served.client.request(
                operation.method,
                path,
                content=json.dumps(body).encode("utf-8", "surrogatepass"),
                headers={"Content-Type": "application/json", "X-Limen-Mode": chance.choice(["live", "pilot"])},
            )
            slowest = max(slowest, time.monotonic() - began)
            assert answer.status_code < 500, (operation.name, str(body)[:300], answer.text)
            assert "alert(1)" not in answer.text or answer.headers["content-type"].startswith("application/")
            if n % 50 == 0:
                token = served.begin()
                served.practice(token)
        assert slowest < 10
        stored = only_valid_things_are_stored(served)
        found = answered(served) - before
        figures |= {"requests": found.total(), "by_status": dict(found), "valid_rows_stored": stored}
