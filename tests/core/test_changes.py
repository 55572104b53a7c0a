from hypothesis import given
from hypothesis import strategies as st

from limen.core.changes import ChangeKind, word_changes

TEXTS = st.lists(st.sampled_from(["a", "b", "**c**", "[AI]", " ", "  ", "\n\n", "d."]), max_size=30).map("".join)


@given(TEXTS, TEXTS)
def test_what_stayed_and_what_went_is_the_text_as_logged_and_what_came_the_text_as_shown(
    before: str, after: str
) -> None:
    changes = word_changes(before, after)
    logged = "".join(change.text for change in changes if change.kind is not ChangeKind.ADDED)
    shown = "".join(change.text for change in changes if change.kind is not ChangeKind.REMOVED)
    assert (logged, shown) == (before.strip(), after.strip())


def test_a_replaced_sentence_reads_as_one_change() -> None:
    found = word_changes("I am called Bob Smith today. Good.", "I am called [AI] today. Good.")
    assert [(str(change.kind), change.text) for change in found] == [
        ("same", "I am called "),
        ("removed", "Bob Smith"),
        ("added", "[AI]"),
        ("same", " today. Good."),
    ]


def test_a_text_that_was_not_changed_is_one_stretch() -> None:
    (only,) = word_changes("All as it was.\n", "All as it was.")
    assert only.kind is ChangeKind.SAME
    assert word_changes("", "") == ()
