"""What meets the eye before a word is understood: length, layout and punctuation of a text as it is shown.

Raters should judge a voice. Whatever here differs between conditions is another way to tell them apart.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import pairwise

from limen.core.excerpt import count_words, sentence_ends
from limen.core.features import Feature
from limen.core.scrubbing import find_markup


@lru_cache(maxsize=4096)
def describe_surface(text: str) -> Mapping[Feature, float]:
    """Give every feature that a text has by itself; shares are for each 100 words.

    >>> about = describe_surface("Is it late? I think so.")
    >>> about[Feature.WORDS], about[Feature.SENTENCE_LENGTH], round(about[Feature.QUESTION_MARKS], 1)
    (6.0, 3.0, 16.7)
    """
    words = count_words(text)
    per_100 = 100 / max(1, words)
    sentences = max(1, _sentences(text))
    measured = {
        Feature.WORDS: float(words),
        Feature.SENTENCE_LENGTH: words / sentences,
        Feature.READABILITY: _reading_ease(text, words, sentences),
    }
    return measured | {feature: count(text) * per_100 for feature, count in _COUNTED.items()}


def _sentences(text: str) -> int:
    ends = [0, *sentence_ends(text)]
    return sum(bool(text[begin:end].strip(" \n•")) for begin, end in pairwise(ends))


def _reading_ease(text: str, words: int, sentences: int) -> float:
    """Give Flesch's reading ease, with a syllable for each group of vowels (a silent e at the end is none)."""
    if words == 0:
        return 0.0
    letters = re.findall(r"[a-z]+", text.lower())
    syllables = sum(max(1, len(_VOWELS.findall(_SILENT_E.sub("", word)))) for word in letters)
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / max(1, len(letters))


def _marks(text: str) -> int:
    """Count what is left to see of markdown: marks that stayed, and lines set like a heading or a table's row."""
    lines = [line.strip() for line in text.split("\n")]
    headings = sum(bool(_HEADING_LIKE.fullmatch(line)) for line in lines) if len(lines) > 1 else 0
    rows = sum(line.count(" – ") >= 2 and not line.endswith(".") for line in lines)
    return len(find_markup(text)) + headings + rows


def _matches(pattern: str, flags: int = 0) -> Callable[[str], int]:
    compiled = re.compile(pattern, flags)
    return lambda text: len(compiled.findall(text))


_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_E = re.compile(r"(?<=[^aeiouy])(?<!l)e$|(?<=[^aeiouylr])es$")
_HEADING_LIKE = re.compile(r"(?!•|\d+[.)] )(?:\S+ ){0,7}\S*[^\s.!?…,;\"”’')\]]")
_COUNTED: Mapping[Feature, Callable[[str], int]] = {
    Feature.MARKDOWN: _marks,
    Feature.LISTS: _matches(r"^\s*(?:[•*+-]|\d{1,2}[.)])\s+\S", re.MULTILINE),
    Feature.STAGE_DIRECTIONS: _matches(
        r"(?:^|(?<=[.!?…\"”])[ ])[(*\[](?!\*)[a-z][^)*\]\n]*[)*\]](?=\s|$)", re.MULTILINE
    ),
    Feature.FIRST_PERSON: _matches(r"\b(?:I|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)\b"),
    Feature.QUESTION_MARKS: _matches(r"[?？]"),
    Feature.PUNCTUATION: _matches(r"[,;:!…—–()\"“”]|(?<=\s)-(?=\s)|\.\.\."),
}
