"""A session's stages and names."""

from dataclasses import replace
from datetime import timedelta

from limen.core.sessions import (
    Mode,
    Session,
    Source,
    Stage,
    order_stream,
    participant_code,
)
from studies import START, a_judgment

SESSION = Session(
    id=1,
    mode=Mode.LIVE,
    number=7,
    source=Source.SERVER,
    plan=("CAT_01", "BASE_01"),
    practice_count=2,
    stimulus_digest="d",
    consent_version="c",
    created=START,
    tab="tab-1",
    held=True,
)


def test_a_session_goes_through_its_stages() -> None:
    assert SESSION.stage is Stage.PRACTICE
    assert replace(SESSION, practiced=2).stage is Stage.TRIALS
    answered = replace(SESSION, practiced=2, answered=2)
    assert answered.stage is Stage.DEBRIEF
    assert replace(answered, finished=START).stage is Stage.DONE
    assert replace(SESSION, stopped=START).stage is Stage.STOPPED


def test_participants_have_names_and_orders_of_their_own() -> None:
    assert [participant_code(n) for n in (1, 42, 1234)] == ["P001", "P042", "P1234"]
    assert order_stream(Mode.LIVE, 17) == "order/17"
    assert order_stream(Mode.PILOT, 17) == "order/pilot/17"


def test_a_session_is_held_against_other_tabs_only_while_it_is_held() -> None:
    assert SESSION.held_against("tab-2")
    assert not SESSION.held_against("tab-1")
    assert not replace(SESSION, held=False).held_against("tab-2")


def test_the_pages_own_time_adds_up_visible_and_hidden() -> None:
    from limen.core.judgment import Attempt

    attempts = tuple(Attempt(visible_ms=n, hidden_ms=10 * n, started=START + timedelta(n)) for n in (1, 2))
    assert a_judgment(attempts=attempts).page_ms == 33
