"""Who may do what: every route tried as nobody, as a participant, as another participant and as the researcher."""

import hashlib
import inspect
from collections.abc import Iterator

import httpx
import pytest

from limen.cli.console import SystemSecrets
from limen.core.tokens import withdrawal_code
from limen.web.metrics import ROUTES
from limen.web.operations import OPERATIONS, Operation
from limen.web.survey import Survey
from serving import RESEARCHER, Served, serving
from studies import an_answer, an_application

NOBODY = "Z" * 22
BODIES = {
    "Counted": {"what": "landed"},
    "Lease": {"tab": "tab-1", "take_over": False},
    "Answer": an_answer(),
    "Painted": {"client_time": "2026-01-05T09:59:00Z", "tab": "tab-1"},
    "ScreenTime": {"visible_ms": 1, "tab": "tab-1"},
    "Strategy": {"options": [], "other": "", "skipped": True, "tab": "tab-1"},
    "Demographics": {"age": None, "use": None, "skipped": True, "tab": "tab-1"},
    "Comment": {"text": "x", "tab": "tab-1"},
    "Completion": {},
    "Stop": {"keep": True, "tab": "tab-1"},
}
OF_A_SESSION = [operation for operation in OPERATIONS if "{token}" in operation.path]


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as running:
        yield running


def ask(served: Served, operation: Operation, token: str) -> httpx.Response:
    path = operation.path.format(token=token, number=1, screen="consent")
    body = None if operation.body is None else BODIES[operation.body.__name__]
    return served.client.request(operation.method, path, json=body, params={"tab": "tab-1"})


@pytest.mark.parametrize("operation", OF_A_SESSION, ids=lambda operation: operation.name)
def test_a_session_is_reached_by_its_own_token_alone(served: Served, operation: Operation) -> None:
    mine, others = served.begin(), served.begin()
    served.practice(others)
    before = ask_state(served, others)
    code = withdrawal_code(mine)
    digest = hashlib.sha256(f"session/{mine}".encode()).hexdigest()
    for not_mine in (
        NOBODY,
        RESEARCHER,
        code,
        digest,
        digest[:22],
        mine[:-1],
        mine + "A",
        mine.swapcase(),
        "P001",
        "1",
    ):
        if not_mine != mine:
            answer = ask(served, operation, not_mine)
            assert answer.status_code == 404, (not_mine, answer.text)
            assert mine not in answer.text
    assert ask(served, operation, mine).status_code != 404 or operation.name == "putComment"
    assert ask_state(served, others) == before, "what one does changes nothing of another's session"


def ask_state(served: Served, token: str) -> object:
    return served.client.get(f"/api/sessions/{token}", params={"tab": "tab-1"}).json()


@pytest.mark.parametrize("page", ["/status/{}", "/metrics/{}"])
def test_the_researchers_pages_open_to_the_secret_alone(served: Served, page: str) -> None:
    token = served.finish()
    code = withdrawal_code(token)
    for who in (NOBODY, token, code, RESEARCHER[:-1], RESEARCHER + "x", RESEARCHER.upper(), "%00", "é"):
        assert served.client.get(page.format(who)).status_code == 404, who
    answer = served.client.get(page.format(RESEARCHER))
    assert answer.status_code == 200
    assert token not in answer.text
    assert code not in answer.text
    for method in ("POST", "PUT", "DELETE"):
        assert served.client.request(method, page.format(RESEARCHER)).status_code == 405


def test_a_withdrawal_needs_its_code_and_a_look_deletes_nothing(served: Served) -> None:
    mine, others = served.finish(), served.finish()
    for who in (NOBODY, mine, RESEARCHER, "P001"):
        assert served.client.post(f"/withdraw/{who}").status_code == 404
    assert served.client.get(f"/withdraw/{withdrawal_code(mine)}").status_code == 200
    assert ask(served, OF_A_SESSION[0], mine).status_code == 200
    assert served.client.post(f"/withdraw/{withdrawal_code(mine)}").status_code == 200
    assert ask(served, OF_A_SESSION[0], mine).status_code == 410
    assert ask(served, OF_A_SESSION[0], others).status_code == 200


def test_anyone_sees_the_page_and_the_health_and_nothing_else(served: Served) -> None:
    for path in ("/", "/pilot", "/preview", "/healthz", "/readyz"):
        assert served.client.get(path).status_code == 200
    for path in (
        "/docs",
        "/openapi.json",
        "/api",
        "/status/",
        "/metrics/",
        "/answers.sqlite",
        "/researcher.key",
        "/simulated",
    ):
        assert served.client.get(path).status_code in (404, 405), path
    tried = {"/", "/pilot", "/preview", "/healthz", "/readyz", "/simulated", "/withdraw/{code}", "/status/{secret}"}
    tried |= {"/metrics/{secret}", "other"} | {operation.path for operation in OPERATIONS}
    assert set(ROUTES) <= tried, "a new route must be tried here"


def test_nothing_redirects(served: Served) -> None:
    token = served.finish()
    paths = ["/", "//elsewhere.example", "/\\elsewhere.example", "/preview/", "/?next=https://elsewhere.example"]
    paths += [f"/withdraw/{withdrawal_code(token)}?url=https://elsewhere.example", "/%2f%2felsewhere.example"]
    for path in paths:
        answer = served.client.get(f"{str(served.client.base_url).rstrip('/')}{path}", follow_redirects=False)
        assert not 300 <= answer.status_code < 400, path
        assert "location" not in answer.headers


def test_secrets_are_128_bits_and_compared_in_constant_time(served: Served) -> None:
    tokens = {SystemSecrets().token() for _ in range(1000)}
    assert len(tokens) == 1000
    assert all(len(token) == 22 for token in tokens)  # 22 characters of 6 bits hold 16 bytes
    assert "hmac.compare_digest" in inspect.getsource(Survey)
    created = served.client.post("/api/sessions", json=an_application(served.study)).json()
    assert len(created["token"]) == 22
