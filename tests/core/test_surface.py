import pytest

from limen.core.features import MEANING, OF_A_PAIR, SURFACE, Feature
from limen.core.scrubbing import scrub
from limen.core.surface import describe_surface


def _of(text: str, feature: Feature) -> float:
    return describe_surface(text)[feature]


def test_every_feature_has_a_meaning_and_the_machine_reads_none_that_a_rater_cannot_see() -> None:
    assert set(MEANING) == set(Feature)
    assert set(describe_surface("A text.")) == set(Feature) - set(OF_A_PAIR)
    assert not set(SURFACE) & {Feature.TURN_GAP, Feature.TOPIC_SHIFT, Feature.FIRST_PERSON, Feature.READABILITY}


@pytest.mark.parametrize(
    ("text", "feature", "count"),
    [
        ("One two three. Four five.", Feature.SENTENCE_LENGTH, 2.5),
        ("It was Dr. Who again. Yes.", Feature.SENTENCE_LENGTH, 3.0),
        ("Why? Why not?", Feature.QUESTION_MARKS, 2 * 100 / 3),
        ("I gave me my own, myself.", Feature.FIRST_PERSON, 4 * 100 / 6),
        ("In Mexico my island", Feature.FIRST_PERSON, 100 / 4),
        ("Well, so: no! (yes)", Feature.PUNCTUATION, 5 * 100 / 4),
        ("Do this:\n• one\n• two\n1. three", Feature.LISTS, 3 * 100 / 8),
        ("Twelve - no list here.", Feature.LISTS, 0.0),
        ("(sighs) I am here. (looks away)", Feature.STAGE_DIRECTIONS, 2 * 100 / 6),
        ("Use the lid (if there is one) for it.", Feature.STAGE_DIRECTIONS, 0.0),
        ("What you need\n\nA saw and a nail.", Feature.MARKDOWN, 100 / 8),
        ("A plain paragraph that ends here.\n\nAnother one.", Feature.MARKDOWN, 0.0),
        ("**bold**", Feature.MARKDOWN, 2 * 100),
        ("", Feature.WORDS, 0.0),
    ],
)
def test_features_are_counted_in_100_words(text: str, feature: Feature, count: float) -> None:
    assert _of(text, feature) == pytest.approx(count)


def test_what_scrubbing_leaves_of_markdown_is_still_seen() -> None:
    text = "## What you need\n\n- a saw\n- a nail\n\n*sighs loudly* Then begin with the long side of the board."
    shown = scrub(text).text
    assert _of(shown, Feature.LISTS) > 0
    assert _of(shown, Feature.MARKDOWN) > 0
    assert _of(shown, Feature.STAGE_DIRECTIONS) > 0


def test_long_words_and_sentences_read_harder() -> None:
    easy = "The cat sat on the mat. It was warm. It slept."
    hard = "Organisational considerations necessitate comprehensive reconsideration of institutional responsibilities."
    assert _of(easy, Feature.READABILITY) > 100
    assert _of(hard, Feature.READABILITY) < 0
    # Flesch by hand: 10 words, 1 sentence, 11 syllables: 206.835 − 10.15 − 93.06
    assert _of("The quick fox was here on the long old table.", Feature.READABILITY) == pytest.approx(103.625, abs=0.01)
