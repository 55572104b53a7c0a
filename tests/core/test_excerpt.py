import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import prose
from limen.core.excerpt import count_words, excerpt, sentence_ends
from limen.core.protocol import WordLimits

LIMITS = WordLimits(minimum=200, maximum=300)
SMALL = WordLimits(minimum=3, maximum=6)


@given(st.integers(min_value=1, max_value=500), st.text(alphabet="abc", max_size=3))
def test_an_excerpt_keeps_to_the_limits_and_ends_with_a_sentence(words: int, seed: str) -> None:
    text = prose(words, seed)
    shown = excerpt(text, LIMITS)
    if words < 200:
        assert shown is None
    else:
        assert shown is not None
        assert 200 <= count_words(shown) <= 300
        assert text.startswith(shown)
        assert shown.endswith(".")
        assert words > 300 or shown == text


def test_it_is_the_longest_beginning_that_fits() -> None:
    assert excerpt("One two three. Four five. Six seven. Eight nine ten.", SMALL) == "One two three. Four five."


def test_a_sentence_longer_than_the_limits_leaves_no_excerpt() -> None:
    assert excerpt("one two three four five six seven eight nine.", SMALL) is None


@pytest.mark.parametrize(
    "text",
    [
        "See Dr. Brown at noon today. Then we shall go home again.",
        "Take fruit, e.g. Apples or pears. Then wash all of them well.",
    ],
)
def test_an_abbreviation_ends_no_sentence(text: str) -> None:
    assert next(text[:end].rsplit(maxsplit=1)[-1] for end in sentence_ends(text)) in ("today.", "pears.")


def test_a_list_item_and_a_paragraph_end_like_a_sentence() -> None:
    assert excerpt("Buy these now\n• one egg\n• two pears\n• three plums and more", SMALL) == "Buy these now\n• one egg"


@pytest.mark.parametrize(
    "line",
    ["What you need", "(pauses to gather thoughts)", "(looks up, then smiles.)", "What you need:"],
)
def test_an_excerpt_does_not_end_with_a_line_that_is_no_sentence(line: str) -> None:
    assert excerpt(f"One two three.\n{line}\nFour eggs and much more besides them.", SMALL) == "One two three."


def test_a_text_without_sentences_is_cut_at_a_line() -> None:
    assert excerpt("one two three\nfour five\nsix seven eight", SMALL) == "one two three\nfour five"


def test_a_text_that_fits_is_whole_whatever_it_ends_with() -> None:
    assert excerpt("One two three.\n(bows)", SMALL) == "One two three.\n(bows)"


def test_an_excerpt_does_not_end_with_a_heading_that_leads_to_nothing() -> None:
    assert excerpt("One two three.\nWhat you need:\n• four eggs and much more besides them", SMALL) == "One two three."
