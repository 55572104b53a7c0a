"""Whatever is sent: a clear problem, nothing stored that is not valid, never a 500, never a hang."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limen.core.sessions import Mode, Part
from limen.storage.store import open_store
from limen.web.calls import BODY_LIMIT
from limen.web.operations import OPERATIONS
from serving import Served, serving
from studies import an_answer, an_application

UNKNOWN = "Z" * 22
NASTY = [
    "<script>alert(1)</script>",
    "'; DROP TABLE trials; --",
    "\u202e\u200f\u200b\u0000",
    "../../etc/passwd",
    "%00",
    "💥" * 500,
    "A" * 5000,
    "{{7*7}}${7*7}",
]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("hostile")
    with open_store(f"sqlite:///{folder / 'answers.sqlite'}") as store, serving(store=store) as running:
        yield running


@pytest.fixture
def token(served: Served) -> str:
    token = served.begin()
    served.practice(token)
    return token


def is_problem(answer: httpx.Response, *statuses: int) -> None:
    assert answer.status_code in statuses, (answer.status_code, answer.text[:200])
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    assert body["type"].startswith("about:blank#")
    assert body["title"]
    assert body["detail"]


def rows(served: Served) -> int:
    sessions = served.store.read(lambda reading: reading.sessions(Mode.LIVE))
    return sum(session.answered for session in sessions)


BAD_JSON = [
    b"",
    b"{",
    b"null",
    b"[]",
    b"42",
    b'"text"',
    b"NaN",
    b"{}",
    b'{"response": NaN}',
    b"\xff\xfe",
    b'{"tab":"\xed\xa0\x80"}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b'{"attempts":' + b"[" * 100_000,
    json.dumps(an_answer()).encode()[:-20],
    json.dumps(an_answer()).encode() + b"{}",
]


@pytest.mark.parametrize("body", BAD_JSON, ids=lambda body: repr(body[:24]))
def test_a_body_that_is_no_such_message_is_refused(served: Served, token: str, body: bytes) -> None:
    before = rows(served)
    headers = {"Content-Type": "application/json"}
    for operation in OPERATIONS:
        if operation.body is None or (body == b"{}" and operation.name == "putCompletion"):
            continue
        path = operation.path.format(token=token, number=1, screen="consent")
        answer = served.client.request(operation.method, path, content=body, headers=headers)
        is_problem(answer, 400, 422)
    assert rows(served) == before


WRONG: list[dict[str, Any]] = [
    {"response": "MAYBE"},
    {"response": "normal"},
    {"response": None},
    {"response": ["NORMAL"]},
    {"response_time_ms": -1},
    {"response_time_ms": 1e400},
    {"response_time_ms": 10**30},
    {"response_time_ms": "8432"},
    {"response_time_ms": True},
    {"response_time_ms": 1.5},
    {"client_time": "yesterday"},
    {"client_time": "2026-02-30T10:00:00Z"},
    {"client_time": "2026-01-05T24:61:00Z"},
    {"client_time": "2026-01-05T10:00:00Z\n"},
    {"client_time": "٢٠٢٦-٠١-٠٥T١٠:٠٠:٠٠Z"},
    {"client_time": "2026-01-05T10:00:00+01:00"},
    {"attempts": []},
    {"attempts": [{"visible_ms": 1, "hidden_ms": 1}]},
    {"attempts": [{"visible_ms": 1, "hidden_ms": 1, "started": "0000-00-00T00:00:00Z"}]},
    {"attempts": an_answer()["attempts"] * 1001},
    {"focus_losses": 100_001},
    {"b_seen": 1.01},
    {"b_seen": -0.1},
    {"b_seen": None},
    {"input": "thought"},
    {"viewport": {"width": 1}},
    {"viewport": {"width": 1, "height": 1, "depth": 1}},
    {"tab": ""},
    {"tab": "x" * 65},
    {"tab": "tab 1"},
    {"tab": "tab-1\n"},
    {"condition": "CATASTROPHIC"},
    {"pair_id": "CAT_01"},
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_an_answer_with_a_wrong_field_is_refused(served: Served, token: str, wrong: dict[str, Any]) -> None:
    before = rows(served)
    body = json.dumps({**an_answer(), **wrong}).replace("Infinity", "1e999")
    answer = served.client.put(
        f"/api/sessions/{token}/trials/1", content=body, headers={"Content-Type": "application/json"}
    )
    is_problem(answer, 400, 422)
    assert rows(served) == before


@pytest.mark.parametrize("missing", list(an_answer()))
def test_an_answer_without_a_field_is_refused(served: Served, token: str, missing: str) -> None:
    body = {name: value for name, value in an_answer().items() if name != missing}
    is_problem(served.put(token, "trials/1", body), 422)


@pytest.mark.parametrize("number", ["0", "-1", "24", "99999", "1e3", "1.0", "01", "９", "9" * 5000, "x", "%00", " 1"])
def test_a_number_that_is_no_trial_is_not_found(served: Served, token: str, number: str) -> None:
    is_problem(served.put(token, f"trials/{number}", an_answer()), 404)
    is_problem(served.client.get(f"/api/sessions/{token}/trials/{number}"), 404)
    is_problem(served.put(token, f"practice/{number}", an_answer()), 404)


@pytest.mark.parametrize("nasty", [*NASTY, UNKNOWN], ids=lambda text: repr(text[:12]))
def test_nasty_tokens_and_codes_find_nothing(served: Served, nasty: str) -> None:
    from urllib.parse import quote

    name = quote(nasty, safe="")
    client = served.client
    is_problem(client.get(f"/api/sessions/{name}?tab=t"), 404)
    is_problem(client.get(f"/api/sessions/{name}/trials/1"), 404)
    is_problem(client.put(f"/api/sessions/{name}/trials/1", json=an_answer()), 404)
    is_problem(client.put(f"/api/sessions/{name}/stop", json={"keep": False, "tab": "t"}), 404)
    is_problem(client.get(f"/status/{name}"), 404)
    for answer in (client.get(f"/withdraw/{name}"), client.post(f"/withdraw/{name}")):
        assert answer.status_code == 404
        assert "<script>alert" not in answer.text


@pytest.mark.parametrize("nasty", NASTY, ids=lambda text: repr(text[:12]))
def test_nasty_texts_are_stored_as_they_are_or_refused(served: Served, nasty: str) -> None:
    pilot = served.begin(mode="pilot")
    answer = served.put(pilot, "comment", {"text": nasty, "tab": "tab-1"})
    if "\u0000" in nasty or len(nasty) > 2000:
        is_problem(answer, 422)
    else:
        assert answer.status_code == 201
    body = {**an_application(served.study), "screening": {nasty: "yes"}}
    is_problem(served.client.post("/api/sessions", json=body), 422)
    body = {**an_application(served.study), "consent_version": nasty}
    is_problem(served.client.post("/api/sessions", json=body), 409, 422)


def test_lone_surrogates_are_refused(served: Served) -> None:
    pilot = served.begin(mode="pilot")
    answer = served.client.put(
        f"/api/sessions/{pilot}/comment",
        content=b'{"text":"\\ud800","tab":"tab-1"}',
        headers={"Content-Type": "application/json"},
    )
    is_problem(answer, 400)


def test_bodies_beyond_the_limit_are_refused_before_they_are_read(served: Served, token: str) -> None:
    path, headers = f"/api/sessions/{token}/trials/1", {"Content-Type": "application/json"}
    declared = served.client.put(path, content=b" " * (BODY_LIMIT + 1), headers=headers)
    is_problem(declared, 413)

    def endless() -> Iterator[bytes]:
        for _ in range(6):
            yield b" " * 65536

    is_problem(served.client.put(path, content=endless(), headers=headers), 413)
    padding = b" " * (BODY_LIMIT - 4096)
    body = json.dumps(an_answer()).encode() + padding
    assert served.client.put(path, content=body, headers=headers).status_code == 201


def test_a_body_that_is_not_json_is_not_read(served: Served, token: str) -> None:
    path = f"/api/sessions/{token}/trials/1"
    for media_type in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = served.client.put(path, content=json.dumps(an_answer()), headers={"Content-Type": media_type})
        is_problem(answer, 415)
    spelled = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert served.client.put(path, content=json.dumps(an_answer()), headers=spelled).status_code == 201


def test_wrong_methods_and_addresses_are_told(served: Served, token: str) -> None:
    wrong = served.client.post(f"/api/sessions/{token}/trials/1", json={})
    is_problem(wrong, 405)
    assert set(wrong.headers["allow"].split(", ")) == {"GET", "HEAD", "PUT"}
    for path in ("/nothing", "/api", "/api/sessions/", "/api/sessions/x/y/z", "/favicon.ico", "/status", "/.env"):
        answer = served.client.get(path)
        is_problem(answer, 404, 405)
    is_problem(served.client.delete("/"), 405)
    is_problem(served.put(token, "screens/secret", {"visible_ms": 1, "tab": "t"}), 404)
    is_problem(served.client.get(f"/api/sessions/{token}"), 422)
    is_problem(served.client.get(f"/api/sessions/{token}?tab=a%20b"), 422)
    header = {"X-Limen-Mode": "real"}
    is_problem(served.client.post("/api/sessions", json=an_application(served.study), headers=header), 422)
    is_problem(served.client.post("/api/counts", json={"what": "screened_out"}), 422)
    is_problem(served.client.post("/api/counts", json={"what": "withdrawn"}), 422)


def test_a_body_cut_off_midway_stores_nothing_and_harms_nobody(served: Served, token: str) -> None:
    before = rows(served)
    host, port = served.client.base_url.host, served.client.base_url.port
    body = json.dumps(an_answer()).encode()
    head = (
        f"PUT /api/sessions/{token}/trials/1 HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for cut in (0, 1, len(body) // 2, len(body) - 1):
        with socket.create_connection((host, port or 80), timeout=5) as line:
            line.sendall(head + body[:cut])
    for garbage in (b"\x00" * 100, b"GET\r\n\r\n", b"PUT / HTTP/9.9\r\n\r\n", b"\x16\x03\x01" * 20):
        with socket.create_connection((host, port or 80), timeout=5) as line:
            line.sendall(garbage)
    assert served.client.get("/healthz").status_code == 200
    assert rows(served) == before
    assert served.put(token, "trials/1", an_answer()).status_code == 201


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_whatever_json_is_sent_no_operation_breaks(served: Served, token: str, data: st.DataObject) -> None:
    operation = data.draw(st.sampled_from([o for o in OPERATIONS if o.body is not None]))
    assert operation.body is not None
    fields = operation.body.__struct_fields__
    valid = {**an_answer(), **an_application(served.study)}
    body = data.draw(JSON | st.fixed_dictionaries({name: st.just(valid.get(name)) | JSON for name in fields}))
    path = operation.path.format(token=token, number=data.draw(st.integers(0, 30)), screen="consent")
    answer = served.client.request(
        operation.method,
        path,
        content=json.dumps(body, ensure_ascii=True).encode(),
        headers={"Content-Type": "application/json"},
    )
    assert answer.status_code < 500, answer.text
    if answer.status_code >= 400:
        is_problem(answer, answer.status_code)


def test_after_all_that_every_stored_answer_is_valid(served: Served) -> None:
    for session in served.store.read(lambda reading: reading.sessions(Mode.LIVE)):
        for part in Part:
            records = served.store.read(lambda reading, s=session, p=part: reading.records(s, p))  # type: ignore[misc]
            assert [record.number for record in records] == list(range(1, len(records) + 1))
            assert all(0 <= record.judgment.b_seen <= 1 for record in records)


def test_nothing_of_a_participants_address_or_browser_is_kept(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    marks = {"User-Agent": "Mozilla/5.0 Tell-Tale", "X-Forwarded-For": "203.0.113.77", "Referer": "http://tell.example"}
    file = tmp_path / "answers.sqlite"
    with caplog.at_level("DEBUG"), open_store(f"sqlite:///{file}") as store, serving(store=store) as served:
        served.client.headers.update(marks)
        served.finish()
        stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    logged = "".join(r.getMessage() for r in caplog.records if not r.name.startswith(("httpx", "httpcore")))
    kept = stored + file.read_bytes() + logged.encode()
    for mark in (b"Tell-Tale", b"203.0.113", b"tell.example", b"127.0.0.1"):
        assert mark not in kept
