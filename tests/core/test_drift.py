import math
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import a_conversation, metrics, prose
from limen.core.conversation import Conversation, DriftSource, Role, Turn
from limen.core.drift import KeywordRms, LexicalChar4, Lexicon, cosine_distance, measure
from limen.errors import MetricError

TOY = Lexicon(name="toy", version="1", groups={"doubt": ("maybe", "not sure"), "feeling": ("feel*", "sad")})
words = st.lists(st.sampled_from(["maybe", "feel", "feeling", "sad", "a", "house", "tree"]), min_size=1, max_size=60)
texts = words.map(" ".join)


def test_keyword_rms_is_the_root_mean_square_difference_of_densities() -> None:
    # text: 10 words, 1 doubt, 2 feeling -> 10 and 20 per 100; reference: 5 words, 1 doubt -> 20 and 0
    text = "maybe I feel that the feeling here is not right"
    reference = "maybe it is the weather"
    expected = math.sqrt(((10 - 20) ** 2 + (20 - 0) ** 2) / 2)
    assert KeywordRms(TOY).distances([text], [reference])[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "doubt", "feeling"),
    [
        ("Maybe, maybe. MAYBE!", 3, 0),
        ("I am not\nsure", 1, 0),
        ("feelings and feels and unfeeling", 0, 2),
        ("sadly no", 0, 0),
        ("“sad”", 0, 1),
    ],
)
def test_keywords_are_whole_words_in_any_case_and_over_line_ends(text: str, doubt: int, feeling: int) -> None:
    n = len(text.split())
    assert list(KeywordRms(TOY).densities(text)) == pytest.approx([100 * doubt / n, 100 * feeling / n])


def test_curly_and_straight_apostrophes_are_one() -> None:
    lexicon = Lexicon(name="t", version="1", groups={"doubt": ("i don't know",)})
    assert KeywordRms(lexicon).densities("I don’t know") == KeywordRms(lexicon).densities("I don't know") != (0.0,)


@pytest.mark.parametrize("metric", [KeywordRms(TOY), LexicalChar4()])
@given(one=texts, other=texts)
def test_a_metric_is_symmetric_zero_for_the_same_text_and_within_its_range(
    metric: KeywordRms | LexicalChar4, one: str, other: str
) -> None:
    there, back, same = metric.distances([one, other, one], [other, one, one])
    assert there == pytest.approx(back)
    assert same == 0
    assert metric.low <= there <= (math.inf if metric.high is None else metric.high)


def test_lexical_char4_is_the_cosine_distance_of_four_letter_runs() -> None:
    # abcde: abcd bcde; abcdx: abcd bcdx -> dot 1, norms sqrt(2) each
    assert LexicalChar4().distances(["abcde"], ["abcdx"])[0] == pytest.approx(0.5)


def test_cosine_distance_of_nothing_is_one() -> None:
    assert cosine_distance(Counter(), Counter("a")) == 1.0


def test_a_text_without_words_has_no_density() -> None:
    with pytest.raises(MetricError, match="without words"):
        KeywordRms(TOY).densities("  ")


@pytest.mark.parametrize("groups", [{}, {"g": ()}, {"g": ("two  blanks",)}, {"g": ("in*side",)}, {"g": ("",)}])
def test_a_lexicon_that_makes_no_sense_is_refused(groups: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(MetricError, match="lexicon bad"):
        Lexicon(name="bad", version="1", groups=groups)


def test_measuring_marks_the_first_reply_as_the_reference_without_a_number() -> None:
    turns = tuple(
        Turn(i=i, role=Role.USER if i % 2 == 0 else Role.ASSISTANT, text=prose(30, f"m{i}")) for i in range(6)
    )
    measured = measure(Conversation(id="c", turns=turns), LexicalChar4())
    assert measured.turns[1].is_reference
    assert [reply.turn.i for reply in measured.replies] == [3, 5]
    assert measured.drift is not None
    assert (measured.drift.reference, measured.drift.source) == ("turn:1", DriftSource.COMPUTED)
    expected = LexicalChar4().distances([turns[3].text, turns[5].text], [turns[1].text] * 2)
    assert tuple(reply.turn.drift for reply in measured.replies) == expected


def test_measuring_replaces_what_the_log_recorded() -> None:
    measured = measure(a_conversation((9.0, 9.0)), metrics().find("keyword-rms/limen-1"))
    assert all(reply.turn.drift is not None and reply.turn.drift < 9 for reply in measured.replies)


def test_measuring_gives_no_drift_to_what_is_no_reply() -> None:
    measured = measure(a_conversation((0.1, 0.1, 0.1), texts=["One two.", "", "Error: timeout"]), LexicalChar4())
    assert [reply.turn.drift is None for reply in measured.replies] == [False, True, True]


def test_a_broken_reference_leaves_nothing_to_measure() -> None:
    measured = measure(a_conversation((0.1, 0.1), reference="Error: timeout"), LexicalChar4())
    assert [reply.turn.drift for reply in measured.replies] == [None, None]


def test_a_distance_that_can_be_no_drift_is_an_error_of_the_metric() -> None:
    class Far(LexicalChar4):
        def distances(self, texts: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
            return tuple(1e38 for _ in texts)

    with pytest.raises(MetricError, match="a distance of 1e\\+38, which is no drift"):
        measure(a_conversation(), Far())
