from hypothesis import given
from hypothesis import strategies as st

from limen.core.topics import content_words, propose_context, topic_shift
from limen.core.wording import HYPOTHESIS_WORDS


def test_a_context_names_what_the_beginning_is_about() -> None:
    context = propose_context("How do I prune apple trees?", "Prune the apple in winter. An apple wants light.")
    assert context == "A discussion about apple, prune and light."


def test_a_context_never_tells_the_hypothesis() -> None:
    text = "Identity drift, identity boundaries, thresholds and detection of identity. Pears."
    context = propose_context(text, text).lower()
    assert not any(word in context for word in HYPOTHESIS_WORDS)


@given(st.text(max_size=200), st.text(max_size=200))
def test_a_context_is_always_one_sentence(user: str, reply: str) -> None:
    context = propose_context(user, reply)
    assert context.startswith(("A discussion about ", "A conversation with an AI system"))
    assert context.endswith(".")
    assert "\n" not in context


def _shift(one: str, other: str) -> float:
    return topic_shift(content_words(one), content_words(other))


def test_topic_shift_is_zero_for_the_same_words_and_one_for_none_in_common() -> None:
    assert _shift("The cats sleep.", "A cat will sleep") == 0.0
    assert _shift("cats sleep", "rivers flow") == 1.0
    assert 0 < _shift("cats sleep", "cats flow") < 1
