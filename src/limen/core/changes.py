"""What was changed in a text before it is shown, word by word."""

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class ChangeKind(StrEnum):
    """What became of a stretch of text."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A stretch of text and what became of it."""

    kind: ChangeKind
    text: str


def word_changes(logged: str, shown: str) -> tuple[Change, ...]:
    """Tell how the text as logged became the text as shown.

    What is the same and what was removed make up the text as logged, what is the same and what was added the text as
    shown. Both come without blanks at their ends.

    >>> [f"{change.kind}: {change.text}" for change in word_changes("I am **Bob**.", "I am [AI].")]
    ['same: I am ', 'removed: **Bob**.', 'added: [AI].']
    """
    return tuple(_joined(_pieces(_tokens(logged.strip()), _tokens(shown.strip()))))


def _tokens(text: str) -> list[str]:
    return re.findall(r"\s+|\S+", text)


def _pieces(before: list[str], after: list[str]) -> Iterator[Change]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        if tag == "equal":
            yield Change(kind=ChangeKind.SAME, text="".join(before[i:j]))
            continue
        if i < j:
            yield Change(kind=ChangeKind.REMOVED, text="".join(before[i:j]))
        if k < m:
            yield Change(kind=ChangeKind.ADDED, text="".join(after[k:m]))


def _joined(pieces: Iterator[Change]) -> Iterator[Change]:
    """Join stretches that only a blank keeps apart, so that a sentence reads as one change."""
    held: list[Change] = []
    for piece in pieces:
        if piece.kind is ChangeKind.SAME and held and not piece.text.strip() and "\n" not in piece.text:
            held += [Change(kind=ChangeKind.REMOVED, text=piece.text), Change(kind=ChangeKind.ADDED, text=piece.text)]
        elif piece.kind is ChangeKind.SAME:
            yield from _flushed(held)
            held = []
            yield piece
        else:
            held.append(piece)
    yield from _flushed(held)


def _flushed(held: list[Change]) -> Iterator[Change]:
    for kind in (ChangeKind.REMOVED, ChangeKind.ADDED):
        text = "".join(piece.text for piece in held if piece.kind is kind)
        if text:
            yield Change(kind=kind, text=text)
