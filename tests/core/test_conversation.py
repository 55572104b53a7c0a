import math

import pytest

from builders import a_conversation
from limen.core.conversation import (
    UNNUMBERED,
    Conversation,
    DriftOrigin,
    DriftSource,
    ReplyProblem,
    Role,
    Turn,
    reference_problem,
    reference_texts,
    reply_problem,
    without_void_drift,
)
from limen.core.flags import SELF_REFERENCE


@pytest.mark.parametrize("text", ["", "   ", "\n\t \n"])
def test_a_blank_text_is_empty(text: str) -> None:
    assert reply_problem(text) is ReplyProblem.EMPTY


@pytest.mark.parametrize(
    "text",
    [
        "Error capturing final",
        "[ERROR] API call failed",
        "Error: connection reset by peer",
        "API error: 529 overloaded",
        "Rate limit exceeded. Try again in 20 s.",
        "Traceback (most recent call last):\n  File ...",
        "openai.RateLimitError: Error code: 429",
        "No response.",
        "Failed to generate a response",
    ],
)
def test_an_error_string_is_no_reply(text: str) -> None:
    assert reply_problem(text) is ReplyProblem.ERROR_TEXT


@pytest.mark.parametrize(
    "text", ["[MOCK] Hello there.", "This is a mock response for testing.", "Lorem ipsum dolor sit amet"]
)
def test_mock_text_is_no_reply(text: str) -> None:
    assert reply_problem(text) is ReplyProblem.MOCK_TEXT


@pytest.mark.parametrize(
    "text",
    [
        "Yes.",
        "Errors are how we learn. Take the first one you made as a cook.",
        "Error handling in Python is done with try and except. " + "Here is how it goes. " * 30,
        "The mock orange flowers in June.",
        "No response is needed to a letter like that, but a card would be kind.",
    ],
)
def test_an_ordinary_reply_is_one(text: str) -> None:
    assert reply_problem(text) is None


def test_replies_are_numbered_from_one_without_the_reference() -> None:
    conversation = a_conversation((0.1, 0.2, 0.3))
    assert [(reply.number, reply.turn.drift) for reply in conversation.replies] == [(1, 0.1), (2, 0.2), (3, 0.3)]


def test_a_turn_outside_the_sequence_has_no_number() -> None:
    turns = (
        Turn(i=0, role=Role.ASSISTANT, text="One.", drift=0.1),
        Turn(i=1, role=Role.ASSISTANT, text="Two.", flags=(UNNUMBERED,)),
        Turn(i=2, role=Role.ASSISTANT, text="Three.", drift=0.2),
    )
    assert [reply.turn.i for reply in Conversation(id="c", turns=turns).replies] == [0, 2]


def test_an_empty_reply_keeps_its_place_but_has_no_drift() -> None:
    conversation = without_void_drift(a_conversation((0.1, 0.0, 0.3), texts=["One.", "", "Three."]))
    assert [(reply.number, reply.turn.drift) for reply in conversation.replies] == [(1, 0.1), (2, None), (3, 0.3)]


@pytest.mark.parametrize("reference", ["", "Error: timeout", "[mock] text"])
def test_a_reference_that_is_no_reply_voids_every_drift(reference: str) -> None:
    conversation = without_void_drift(a_conversation((0.1, 0.2), reference=reference))
    assert reference_problem(conversation) is not None
    assert [reply.turn.drift for reply in conversation.replies] == [None, None]


def _tribunal(*texts: str) -> Conversation:
    return Conversation(
        id="t",
        turns=tuple(Turn(i=i, role=Role.ASSISTANT, text=text, drift=0.1) for i, text in enumerate(texts)),
        drift=DriftOrigin(
            metric="keyword-rms/s7", reference="replies:1-5", low=0, high=None, source=DriftSource.RECORDED
        ),
    )


def test_replies_in_their_own_reference_are_flagged_and_still_count() -> None:
    conversation = without_void_drift(_tribunal("a", "b", "c", "d", "e", "f", "g"))
    assert [SELF_REFERENCE in reply.turn.flags for reply in conversation.replies] == [True] * 5 + [False] * 2
    assert reference_texts(conversation) == ("a", "b", "c", "d", "e")
    assert all(reply.turn.drift == 0.1 for reply in conversation.replies)


def test_an_error_among_the_replies_of_the_reference_breaks_it() -> None:
    assert reference_problem(_tribunal("a", "Error: timeout", "c", "d", "e", "f")) is ReplyProblem.ERROR_TEXT


def test_one_empty_reply_does_not_break_a_reference_of_five() -> None:
    assert reference_problem(_tribunal("a", "", "c", "d", "e", "f")) is None
    assert reference_problem(_tribunal("", "", "", "", "", "f")) is ReplyProblem.EMPTY


@pytest.mark.parametrize("drift", [-0.1, math.nan, math.inf, 1e306, 10**400])
def test_a_drift_is_a_number_from_zero_to_a_million(drift: float) -> None:
    with pytest.raises(ValueError, match="a number from 0 to 1,000,000"):
        Turn(i=0, role=Role.ASSISTANT, text="x", drift=drift)
