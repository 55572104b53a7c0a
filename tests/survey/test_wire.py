"""The wire's words are the core's, and its fields are the ones that were decided on."""

import msgspec
import pytest

from limen.core import sessions
from limen.survey import wire


def test_the_wire_and_the_core_say_the_same_words() -> None:
    assert [stage.value for stage in wire.Stage] == [stage.value for stage in sessions.Stage]
    assert {count.value for count in wire.DailyCount} < {count.value for count in sessions.DailyCount}


def test_a_trial_has_no_field_that_could_unblind() -> None:
    assert wire.TrialMessage.__struct_fields__ == ("token", "context", "response_a", "response_b", "pad")


@pytest.mark.parametrize("tab", ["", "a" * 65, "tab 1", "tab\n", "tab-1\n", "<b>", "tab\u0000", "日本"])
def test_a_tab_is_opaque_and_plain(tab: str) -> None:
    body = msgspec.json.encode({"keep": True, "tab": tab})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=wire.Stop)


@pytest.mark.parametrize("text", ["\u0000", "a\u0000b", "x" * 2001])
def test_free_text_is_bounded_and_has_no_nul(text: str) -> None:
    body = msgspec.json.encode({"text": text, "tab": "t"})
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(body, type=wire.Comment)


def test_free_text_may_hold_whatever_people_write() -> None:
    text = "two\nlines, “quotes” <b> \u200f 日本 🙂"
    assert msgspec.json.decode(msgspec.json.encode({"text": text, "tab": "t"}), type=wire.Comment).text == text
