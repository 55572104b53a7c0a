"""Every byte that the server sends in a whole session is kept, and nothing in it unblinds."""

import dataclasses
import json
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import httpx
import pytest

from limen.core.blinding import BlindedStudy
from limen.core.wording import HYPOTHESIS_WORDS
from serving import Served, serving
from studies import a_study, an_answer, forbidden_values

SENT_FIELDS = {
    "token context response_a response_b pad",
    "stage next_practice next_trial debrief_done lease completion_code withdrawal_code",
    "token state",
    "type title status detail expected stored",
}
"""The sets of fields that an answer of the interface may have, and no other."""

FORBIDDEN_FIELDS = (
    *("condition", "drift", "provider", "model", "turn", "pair_id", "pair", "expected_answer_code", "attention"),
    *("check", "check_id", "kind_of_trial", "qualifying", "because", "source", "conversation_id", "metric", "seed"),
)

STUDY = a_study(awkward=True)


@pytest.fixture(scope="module")
def whole_session() -> Iterator[Served]:
    """Drive a whole session with everything a page asks for, errors included."""
    with serving(STUDY) as served:
        client = served.client
        for path in ("/", "/pilot", "/preview"):
            client.get(path, headers={"Accept-Encoding": "identity"})
        for _ in range(2):  # two participants
            token = served.begin()
            served.practice(token)
            client.get(f"/api/sessions/{token}?tab=tab-1")
            client.get(f"/api/sessions/{token}/trials/20")
            served.put(token, "trials/9", an_answer())
            for n in range(1, 24):
                assert client.get(f"/api/sessions/{token}/trials/{n}").status_code == 200
                served.put(token, f"trials/{n}", an_answer())
                served.put(token, f"trials/{n}", an_answer("SOMETHINGS_OFF"))
            served.put(token, "debrief/strategy", {"options": [1], "other": "", "skipped": False, "tab": "tab-1"})
            served.put(token, "completion", {})
        yield served


def trial_answers(served: Served) -> list[httpx.Response]:
    got = [a for a in served.heard if a.request.method == "GET" and "/trials/" in str(a.request.url)]
    return [answer for answer in got if answer.status_code == 200]


def without_texts(content: str) -> str:
    """Take the stimulus texts out, which are exempt; longest first, since one may be in another."""
    texts = {text for shown in STUDY.texts.values() for text in dataclasses.astuple(shown)}
    for text in sorted(texts, key=len, reverse=True):
        content = content.replace(json.dumps(text, ensure_ascii=False)[1:-1], "")
    return content


def boot_of(page: httpx.Response) -> Any:
    return json.loads(page.text.partition('id="limen-boot">')[2].partition("</script>")[0])


def test_no_forbidden_value_was_sent(whole_session: Served) -> None:
    values = forbidden_values(STUDY)
    for answer in whole_session.heard:
        everything = without_texts(answer.content.decode()) + str(answer.headers) + str(answer.url)
        found = {what: value for value, what in values.items() if value in everything}
        assert found == {}, answer.url


def test_only_the_fields_that_were_decided_on_were_sent(whole_session: Served) -> None:
    allowed = {tuple(fields.split()) for fields in SENT_FIELDS}
    seen = set()
    for answer in whole_session.heard:
        if "json" in answer.headers.get("content-type", ""):
            body = answer.json()
            assert tuple(body) in allowed
            seen.add(tuple(body))
            if "state" in body:
                assert tuple(body["state"]) in allowed
    assert seen == allowed


def test_the_page_itself_holds_no_forbidden_field(whole_session: Served) -> None:
    pages = [answer for answer in whole_session.heard if answer.headers["content-type"].startswith("text/html")]
    assert len(pages) == 3
    for page in pages:
        names = set(_names(boot_of(page)))
        assert not names & set(FORBIDDEN_FIELDS)
        assert names <= {"kind", "api", "mode", "study"} | _fields_of(BlindedStudy)


def test_our_own_words_do_not_tell_the_hypothesis(whole_session: Served) -> None:
    page = whole_session.heard[0]
    shown = boot_of(page)["study"]
    own = json.dumps([shown["public_name"], shown["wording"]["consent"], shown["wording"]["screening"]])
    words = [word.strip('.,;:!?"()[]').lower() for word in own.split()]
    assert [word for word in words if word.startswith(HYPOTHESIS_WORDS)] == []
    assert all(word not in str(answer.url).lower() for answer in whole_session.heard for word in HYPOTHESIS_WORDS)


def test_every_trial_has_the_same_bytes_besides_its_texts(whole_session: Served) -> None:
    answers = trial_answers(whole_session)
    assert len(answers) == 46
    overheads, checks_seen = set(), 0
    for answer in answers:
        body = answer.json()
        assert list(body) == ["token", "context", "response_a", "response_b", "pad"]
        texts = [body["context"], body["response_a"], body["response_b"]]
        checks_seen += texts[0] == "This is an attention check."
        overheads.add(len(answer.content) - sum(len(text.encode()) for text in texts))
        assert len(body["token"]) == 22
    assert len(overheads) == 1
    assert checks_seen == 2


def test_every_trial_is_answered_with_the_same_status_and_headers(whole_session: Served) -> None:
    heads = set()
    for answer in trial_answers(whole_session):
        assert int(answer.headers["content-length"]) == len(answer.content)
        kept = [(name, value) for name, value in answer.headers.multi_items() if name not in ("content-length", "date")]
        heads.add((answer.status_code, tuple(kept)))
    assert len(heads) == 1


def test_every_trial_takes_the_same_requests_and_answers(whole_session: Served) -> None:
    by_trial: dict[str, list[tuple[int, tuple[str, ...]]]] = {}
    for answer in whole_session.heard:
        path = answer.request.url.path
        if answer.request.method == "PUT" and "/trials/" in path:
            by_trial.setdefault(path, []).append((answer.status_code, tuple(answer.json())))
    assert len(by_trial) == 46
    assert len({tuple(calls[-2:]) for calls in by_trial.values()}) == 1


def test_tokens_differ_between_participants_and_trials(whole_session: Served) -> None:
    tokens = [answer.json()["token"] for answer in trial_answers(whole_session)]
    assert len(set(tokens)) == 46


def test_two_participants_see_the_same_texts_in_other_orders(whole_session: Served) -> None:
    bodies = [answer.json() for answer in trial_answers(whole_session)]
    one, other = ([body["response_b"] for body in part] for part in (bodies[:23], bodies[23:]))
    assert sorted(one) == sorted(other)
    assert one != other


def _names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _names(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names(inner)


def _fields_of(kind: Any) -> set[str]:
    if not dataclasses.is_dataclass(kind):
        return set().union(*(_fields_of(part) for part in get_args(kind))) if get_args(kind) else set()
    hints = get_type_hints(kind)
    return set(hints).union(*(_fields_of(hint) for hint in hints.values()))
