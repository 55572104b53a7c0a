"""A participant's session over real HTTP, from the first page to the thanks."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from limen.core.protocol import Protocol, ResumePolicy
from limen.core.sessions import DailyCount, Mode, Part, Source
from limen.core.tokens import token_digest
from limen.storage.store import open_store
from limen.workflow.answers import joined_trials
from serving import Served, serving
from studies import SteppedClock, a_protocol, a_study, an_answer, an_answer_for, an_application


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with open_store(f"sqlite:///{tmp_path / 'answers.sqlite'}") as store, serving(store=store) as running:
        yield running


def kind(answer: Any) -> str:
    assert answer.headers["content-type"] == "application/problem+json"
    body = answer.json()
    assert body["status"] == answer.status_code
    return str(body["type"]).removeprefix("about:blank#")


def test_a_whole_session_leaves_exactly_its_rows(served: Served) -> None:
    client = served.client
    assert client.get("/").status_code == 200
    for what in ("landed", "consented"):
        assert client.post("/api/counts", json={"what": what}).status_code == 204
    token = served.begin()
    for screen in ("consent", "screening", "instructions"):
        assert served.put(token, f"screens/{screen}", {"visible_ms": 1200, "tab": "tab-1"}).status_code == 201
    texts = [client.get(f"/api/sessions/{token}/trials/{n}") for n in range(1, 7)]
    assert {answer.status_code for answer in texts} == {200}
    served.practice(token)
    painted = {"client_time": "2026-01-05T09:59:00Z", "tab": "tab-1"}
    assert [served.put(token, "painted", painted).status_code for _ in range(2)] == [201, 200]
    for n in range(1, 24):
        answer = served.put(token, f"trials/{n}", an_answer(an_answer_for(token, n)))
        assert answer.status_code == 201
        state = answer.json()
        assert (state["next_trial"], state["lease"], state["completion_code"]) == (n + 1, True, None)
        if n + 6 <= 23:
            assert client.get(f"/api/sessions/{token}/trials/{n + 6}").status_code == 200
    strategy = {"options": [0, 2], "other": "a <b> “feeling”", "skipped": False, "tab": "tab-1"}
    demographics = {"age": 1, "use": None, "skipped": False, "tab": "tab-1"}
    for wrong in ({"options": [0] * 50}, {"options": [6]}, {"skipped": True}):
        assert served.put(token, "debrief/strategy", {**strategy, **wrong}).status_code == 422
    assert served.put(token, "debrief/strategy", strategy).status_code == 201
    assert served.put(token, "debrief/demographics", demographics).status_code == 201
    done = served.put(token, "completion", {"tab": "tab-1", "main_task_ms": 194_000}).json()
    assert done["stage"] == "done"
    assert done["debrief_done"] == ["strategy", "demographics"]
    assert len(done["completion_code"]) == 8
    assert len(done["withdrawal_code"]) == 26
    assert served.put(token, "screens/thanks", {"visible_ms": 500, "tab": "tab-1"}).status_code == 201
    assert client.get(f"/api/sessions/{token}?tab=tab-7").json()["completion_code"] == done["completion_code"]

    (session,) = served.store.read(lambda reading: reading.sessions(Mode.LIVE))
    assert (session.participant, session.source, session.page_task_ms) == ("P001", Source.SERVER, 194_000)
    records = served.store.read(lambda reading: reading.records(session, Part.TRIALS))
    assert [record.number for record in records] == list(range(1, 24))
    assert [record.judgment.response.value for record in records] == [an_answer_for(token, n) for n in range(1, 24)]
    assert [record.stimulus_id for record in records] == list(session.plan)
    assert [session.plan[n - 1] for n in (7, 14, 20)] == ["ATT_IDENTICAL", "ATT_GIBBERISH", "ATT_INSTRUCTION"]
    assert all(a.received < b.received for a, b in pairwise(records))
    assert session.painted is not None
    assert session.painted < records[0].received
    assert records[0].received.microsecond == 123456
    (joined,) = served.store.read(lambda reading: list(joined_trials(reading, served.study.stimuli, Mode.LIVE)))
    assert len(joined.pair_id) == 23
    assert joined.condition.count("CATASTROPHIC") == joined.condition.count("BASELINE") == 10


def test_the_first_write_wins(served: Served) -> None:
    token = served.begin()
    served.practice(token)
    assert served.put(token, "trials/1", an_answer("NORMAL")).status_code == 201
    assert served.put(token, "trials/1", an_answer("NORMAL")).status_code == 200
    assert served.put(token, "trials/1", an_answer("NORMAL", response_time_ms=1)).status_code == 200
    other = served.put(token, "trials/1", an_answer("SOMETHINGS_OFF"))
    assert (other.status_code, kind(other)) == (409, "different-answer")
    assert (other.json()["stored"], other.json()["expected"]) == ("NORMAL", 2)
    ahead = served.put(token, "trials/3", an_answer())
    assert (ahead.status_code, kind(ahead), ahead.json()["expected"]) == (409, "out-of-order", 2)
    beyond = served.put(token, "trials/24", an_answer())
    assert (beyond.status_code, kind(beyond)) == (404, "no-such-trial")
    early = served.client.get(f"/api/sessions/{token}/trials/8")
    assert (early.status_code, kind(early), early.json()["expected"]) == (409, "too-early", 2)
    incomplete = served.put(token, "completion", {})
    assert (incomplete.status_code, kind(incomplete), incomplete.json()["expected"]) == (409, "incomplete", 2)
    (session,) = served.store.read(lambda reading: reading.sessions(Mode.LIVE))
    (record,) = served.store.read(lambda reading: reading.records(session, Part.TRIALS))
    assert record.judgment.response_time_ms == 8432


def test_answers_after_completion_change_nothing(served: Served) -> None:
    token = served.finish()
    assert served.put(token, "trials/5", an_answer("NORMAL")).status_code == 200
    assert kind(served.put(token, "trials/5", an_answer("SOMETHINGS_OFF"))) == "different-answer"
    skipped = {"options": [], "other": "", "skipped": True, "tab": "tab-1"}
    assert served.put(token, "debrief/strategy", skipped).status_code == 409
    assert served.put(token, "completion", {}).status_code == 200


def test_a_second_tab_is_told_and_can_take_over(served: Served) -> None:
    token = served.begin()
    served.practice(token)
    state = served.client.get(f"/api/sessions/{token}?tab=tab-2").json()
    assert state["lease"] is False
    asked = served.put(token, "lease", {"tab": "tab-2", "take_over": False})
    assert (asked.status_code, kind(asked)) == (409, "held-elsewhere")
    assert served.put(token, "lease", {"tab": "tab-2", "take_over": True}).json()["lease"] is True
    refused = served.put(token, "trials/1", an_answer(tab="tab-1"))
    assert (refused.status_code, kind(refused)) == (409, "held-elsewhere")
    assert served.put(token, "trials/1", an_answer(tab="tab-2")).status_code == 201
    assert served.client.delete(f"/api/sessions/{token}/lease?tab=tab-2").status_code == 204
    assert served.client.post(f"/api/sessions/{token}/release?tab=tab-2").status_code == 204
    assert served.put(token, "lease", {"tab": "tab-3", "take_over": False}).json()["lease"] is True


def test_those_who_do_not_qualify_leave_a_count_and_nothing_else(served: Served) -> None:
    body = an_application(served.study)
    body["screening"] = {**body["screening"], "adult": "no"}
    answer = served.client.post("/api/sessions", json=body)
    assert (answer.status_code, answer.json()) == (200, {"screened_out": True})
    assert served.store.read(lambda reading: reading.counts(Mode.LIVE)) == {DailyCount.SCREENED_OUT: 1}
    assert served.store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()
    stale = served.client.post("/api/sessions", json=an_application(served.study, consent_version="old"))
    assert (stale.status_code, kind(stale)) == (409, "consent-changed")


def test_modes_are_kept_apart_and_comments_are_for_pilots(served: Served) -> None:
    live, pilot = served.begin(), served.begin(mode="pilot")
    assert served.put(pilot, "comment", {"text": "The font is small.", "tab": "tab-1"}).status_code == 201
    refused = served.put(live, "comment", {"text": "Hm.", "tab": "tab-1"})
    assert (refused.status_code, kind(refused)) == (409, "pilot-only")
    served.client.post("/api/counts", json={"what": "landed"}, headers={"X-Limen-Mode": "pilot"})
    for mode in (Mode.LIVE, Mode.PILOT):
        sessions = served.store.read(lambda reading, m=mode: reading.sessions(m))  # type: ignore[misc]
        assert [session.participant for session in sessions] == ["P001"]
    assert served.store.read(lambda reading: reading.counts(Mode.LIVE)) == {}


def test_stopping_keeps_or_deletes(served: Served) -> None:
    kept, deleted = served.begin(), served.begin()
    for token in (kept, deleted):
        served.practice(token)
        served.answer(token, 1, 3)
    stopped = served.put(kept, "stop", {"keep": True, "tab": "tab-1"})
    assert (stopped.status_code, stopped.json()["stage"]) == (200, "stopped")
    assert served.client.get(f"/api/sessions/{kept}?tab=tab-1").json()["stage"] == "stopped"
    for _ in range(2):
        gone = served.put(deleted, "stop", {"keep": False, "tab": "tab-1"})
        assert (gone.status_code, gone.json()["stage"]) == (200, "stopped")
    after = served.client.get(f"/api/sessions/{deleted}?tab=tab-1")
    assert (after.status_code, kind(after)) == (410, "withdrawn")
    assert served.store.read(lambda reading: reading.session(token_digest(deleted))) is None
    (session,) = served.store.read(lambda reading: reading.sessions(Mode.LIVE))
    assert session.answered == 3


def test_two_sessions_replay_byte_for_byte_with_fixed_time_and_tokens() -> None:
    heard = []
    for _ in range(2):
        with serving() as served:
            served.finish()
            heard.append([(answer.status_code, answer.content) for answer in served.heard])
    assert heard[0] == heard[1]


@pytest.mark.parametrize(
    ("protocol", "expected"),
    [
        (a_protocol(on_return=ResumePolicy.RESTART), "restart"),
        (a_protocol(on_return=ResumePolicy.BLOCK), "blocked"),
        (a_protocol(hours=1), "too-old"),
    ],
)
def test_who_may_not_come_back_is_told_why(protocol: Protocol, expected: str) -> None:
    clock = SteppedClock()
    with serving(a_study(protocol), clock=clock) as served:
        token = served.begin()
        served.client.post(f"/api/sessions/{token}/release?tab=tab-1")
        assert served.client.get(f"/api/sessions/{token}?tab=tab-1").status_code == 200
        clock.time += timedelta(hours=2)
        back = served.client.get(f"/api/sessions/{token}?tab=tab-2")
        assert (back.status_code, kind(back)) == (410, expected)
        taken = served.put(token, "lease", {"tab": "tab-2", "take_over": True})
        assert (taken.status_code, kind(taken)) == (410, expected)


REQUEST = "request-00000000000001"


def test_a_request_that_could_be_guessed_is_refused(served: Served) -> None:
    for request in ("", "r", "r" * 21, "r" * 65):
        refused = served.client.post("/api/sessions", json=an_application(served.study, request=request))
        assert (refused.status_code, kind(refused)) == (422, "invalid")
    assert served.store.read(lambda reading: reading.sessions(Mode.LIVE)) == ()


def test_an_application_sent_twice_begins_one_session(served: Served) -> None:
    first, second = served.begin(request=REQUEST), served.begin(request=REQUEST)
    assert first == second
    served.practice(second)
    again = served.client.post("/api/sessions", json=an_application(served.study, request=REQUEST))
    assert (again.status_code, kind(again)) == (409, "already-begun")
    assert len(served.store.read(lambda reading: reading.sessions(Mode.LIVE))) == 1


def test_a_pilots_server_takes_no_live_session() -> None:
    with serving(a_study(live=False)) as served:
        assert '"mode":"pilot"' in served.client.get("/").text
        refused = served.client.post("/api/sessions", json=an_application(served.study))
        assert (refused.status_code, kind(refused)) == (409, "not-live")
        served.finish(mode="pilot")
