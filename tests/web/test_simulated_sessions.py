"""Only who has the researcher's secret may call a session simulated; only there are claimed times believed."""

from datetime import UTC, datetime

import httpx
import pytest

from limen.core.sessions import Mode, Part
from limen.web.limits import Allowance, Limits
from serving import RESEARCHER, Served, serving
from studies import an_answer, an_application

SIMULATED = {"X-Limen-Mode": "simulated"}
AUTHORIZED = {**SIMULATED, "Authorization": f"Bearer {RESEARCHER}"}
CLAIMED = datetime(2026, 1, 5, 10, 0, 0, 123000, tzinfo=UTC)  # of the answer that the tests send
WRONG = ["", "Bearer", "Bearer nonsense", f"Basic {RESEARCHER}", RESEARCHER, f"Bearer {RESEARCHER}x"]


def begin(served: Served, headers: dict[str, str]) -> httpx.Response:
    return served.client.post("/api/sessions", json=an_application(served.study), headers=headers)


@pytest.mark.parametrize("given", WRONG)
def test_nobody_becomes_simulated_without_the_secret(given: str) -> None:
    headers = {**SIMULATED, "Authorization": given}
    with serving() as served:
        refused = begin(served, headers)
        assert (refused.status_code, refused.json()["type"]) == (403, "about:blank#forbidden")
        assert served.client.post("/api/counts", json={"what": "landed"}, headers=headers).status_code == 403
        assert served.client.get("/simulated", headers=headers).status_code == 404
        assert RESEARCHER not in "".join(answer.text for answer in served.heard)
        assert served.store.read(lambda reading: reading.sessions(Mode.SIMULATED)) == ()
        assert not any(served.store.read(lambda reading: reading.counts(Mode.SIMULATED)).values())


def test_with_the_secret_the_page_and_a_session_are_simulated() -> None:
    with serving() as served:
        page = served.client.get("/simulated", headers=AUTHORIZED)
        assert (page.status_code, '"mode":"simulated"' in page.text) == (200, True)
        assert RESEARCHER not in page.text
        assert page.text.replace('"mode":"simulated"', '"mode":"live"') == served.client.get("/").text
        assert begin(served, AUTHORIZED).status_code == 201
        (session,) = served.store.read(lambda reading: reading.sessions(Mode.SIMULATED))
        assert session.participant == "P001"
        assert served.store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()


def test_the_secret_makes_nobody_simulated_who_does_not_ask() -> None:
    with serving() as served:
        assert begin(served, {"Authorization": f"Bearer {RESEARCHER}"}).status_code == 201
        assert len(served.store.read(lambda reading: reading.sessions(Mode.LIVE))) == 1


@pytest.mark.parametrize("mode", [Mode.LIVE, Mode.PILOT, Mode.PREVIEW, Mode.SIMULATED])
def test_claimed_times_are_believed_of_simulated_raters_only(mode: Mode) -> None:
    with serving() as served:
        headers = {"X-Limen-Mode": mode.value, "Authorization": f"Bearer {RESEARCHER}"}
        token = begin(served, headers).json()["token"]
        served.practice(token)
        served.put(token, "painted", {"client_time": "2026-01-05T09:59:00Z", "tab": "tab-1"})
        served.put(token, "trials/1", an_answer())
        (session,) = served.store.read(lambda reading: reading.sessions(mode))
        (record,) = served.store.read(lambda reading: reading.records(session, Part.TRIALS))
        believed = mode is Mode.SIMULATED
        assert (record.received == CLAIMED) == believed
        assert (session.painted == datetime(2026, 1, 5, 9, 59, tzinfo=UTC)) == believed


def test_the_secret_cannot_be_guessed_at_leisure_and_asking_without_one_is_no_guess() -> None:
    with serving(limits=Limits(guesses=Allowance(5))) as served:
        assert {served.client.get("/simulated").status_code for _ in range(10)} == {404}
        guesses = [begin(served, {**SIMULATED, "Authorization": f"Bearer {n}"}).status_code for n in range(8)]
        assert guesses == [403] * 5 + [429] * 3
        assert begin(served, AUTHORIZED).status_code == 201  # the right one is never kept out
        assert begin(served, {}).status_code == 201


def test_who_has_the_secret_may_begin_more_sessions_than_an_address_may() -> None:
    with serving(limits=Limits(sessions=Allowance(2))) as served:
        assert [begin(served, {}).status_code for _ in range(3)] == [201, 201, 429]
        assert {begin(served, AUTHORIZED).status_code for _ in range(4)} == {201}
