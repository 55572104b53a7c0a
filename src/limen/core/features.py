"""What a pair of texts looks like, as numbers: the names under which it is measured, matched and reported."""

from enum import StrEnum


class Feature(StrEnum):
    """A number that a pair has besides its drift; `match` in study.toml goes by these names."""

    WORDS = "words"
    SENTENCE_LENGTH = "sentence_length"
    READABILITY = "readability"
    MARKDOWN = "markdown"
    LISTS = "lists"
    STAGE_DIRECTIONS = "stage_directions"
    FIRST_PERSON = "first_person"
    QUESTION_MARKS = "question_marks"
    PUNCTUATION = "punctuation"
    TURN_GAP = "turn_gap"
    TOPIC_SHIFT = "topic_shift"


OF_A_PAIR = (Feature.TURN_GAP, Feature.TOPIC_SHIFT)
"""Features of the pair as a whole; all others are those of a text, so a pair has them twice."""

SURFACE = (
    Feature.WORDS,
    Feature.SENTENCE_LENGTH,
    Feature.MARKDOWN,
    Feature.LISTS,
    Feature.STAGE_DIRECTIONS,
    Feature.QUESTION_MARKS,
    Feature.PUNCTUATION,
)
"""What the surface-only machine reads. Readability and the first person depend on the choice of words, which is part of
a voice; the turn gap is nothing that a rater sees. They are reported, but a machine that reads them would read more
than the surface."""

MEANING = {
    Feature.WORDS: "words",
    Feature.SENTENCE_LENGTH: "words a sentence",
    Feature.READABILITY: "Flesch reading ease",
    Feature.MARKDOWN: "traces of markdown in 100 words",
    Feature.LISTS: "list items in 100 words",
    Feature.STAGE_DIRECTIONS: "stage directions in 100 words",
    Feature.FIRST_PERSON: "I, me, my in 100 words",
    Feature.QUESTION_MARKS: "question marks in 100 words",
    Feature.PUNCTUATION: "other punctuation marks in 100 words",
    Feature.TURN_GAP: "replies from A to B",
    Feature.TOPIC_SHIFT: "topic shift from A to B (0 to 1)",
}
"""What each number is, for a table's first column."""
