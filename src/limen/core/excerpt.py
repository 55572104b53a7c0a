"""Words, sentences, and the excerpt that is shown: one rule for Response A and Response B alike."""

import re
from collections.abc import Iterator

from limen.core.protocol import WordLimits


def count_words(text: str) -> int:
    """Count the whitespace-separated tokens."""
    return len(text.split())


def sentence_ends(text: str) -> Iterator[int]:
    """Give the places in `text` where a sentence, a list item or a paragraph ends, the end included."""
    for match in _END.finditer(text):
        if not _ABBREVIATION.search(text[max(0, match.start() - 12) : match.start() + 1]):
            yield match.end()
    yield len(text)


def excerpt(text: str, limits: WordLimits) -> str | None:
    """Give the longest beginning of `text` that ends with a sentence and keeps to the limits; None if none does.

    A text that keeps to the limits as it is comes back whole. A cut after a heading, a stage direction or another line
    that is no sentence comes into question only where there is no other.
    """
    ends: list[int] = []
    words, begin = 0, 0
    for end in sentence_ends(text):
        words += count_words(text[begin:end])
        begin = end
        if words > limits.maximum:
            break
        if words >= limits.minimum:
            ends.append(end)
    if begin == len(text) and words <= limits.maximum:
        return text.strip() if ends else None
    possible = [end for end in ends if not _LEADS_ON.search(text, max(0, end - 40), end)]
    finished = [end for end in possible if _is_finished(text[text.rfind("\n", 0, end) + 1 : end])]
    return text[: max(finished or possible)].strip() if possible else None


def _is_finished(line: str) -> bool:
    """Tell whether a reader takes the end of this line for an end: a sentence or a list item, no heading or gesture."""
    return bool(_LIST_ITEM.match(line) or _SENTENCE.search(line)) and not _GESTURE.fullmatch(line)


_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]*_]*(?=\s)|(?<=\S)(?=\s*\n)")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|cf|vs|etc|Dr|Mr|Mrs|Ms|Prof|St|No|approx|[A-Z]|\d{1,2})\.$")
_LEADS_ON = re.compile(r"[:•–-][\"'”’)\]]*\s*\Z")
_SENTENCE = re.compile(r"[.!?…][\"'”’)\]]*\s*\Z")
_LIST_ITEM = re.compile(r"\s*(?:•|\d{1,2}[.)])\s")
_GESTURE = re.compile(r"\s*\([^()]*\)\s*")
