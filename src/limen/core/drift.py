"""Drift: how far a reply is from how the conversation began, as a number with a metric.

A threshold belongs to a metric. Two metrics are built in and need nothing but the text; embedding
backends stand behind the same small interface, `Metric`.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from limen.core.conversation import (
    Conversation,
    DriftOrigin,
    DriftSource,
    Role,
    Turn,
    is_drift,
    reference_texts,
    reply_problem,
    without_void_drift,
)
from limen.errors import MetricError


class Metric(Protocol):
    """What a drift metric has to offer. `name` is what thresholds belong to."""

    @property
    def name(self) -> str:
        """Its name, with the lexicon or model that makes it another metric."""
        ...

    @property
    def version(self) -> str:
        """Its version: another version may measure otherwise."""
        ...

    @property
    def low(self) -> float:
        """The lowest distance it can give."""
        ...

    @property
    def high(self) -> float | None:
        """The highest distance it can give; None when unbounded."""
        ...

    def distances(self, texts: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
        """Give the distance of each text from the reference at the same place."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Named groups of keywords. An entry is a word or a phrase; a final `*` stands for any ending."""

    name: str
    version: str
    groups: Mapping[str, tuple[str, ...]]

    def __post_init__(self) -> None:
        if not self.groups:
            raise MetricError(f"lexicon {self.name}: no groups; give at least one named list of keywords")
        for group, entries in self.groups.items():
            if not entries:
                raise MetricError(f"lexicon {self.name}: group {group} is empty; give it keywords or drop it")
            for entry in entries:
                if not re.fullmatch(r"[^\W_]+(?:['’-][^\W_]+)*(?: [^\W_]+(?:['’-][^\W_]+)*)*\*?", entry):
                    raise MetricError(
                        f"lexicon {self.name}: {entry!r} in group {group} is no keyword; "
                        "write words with single blanks, and at most one * at the end"
                    )


@dataclass(frozen=True)
class KeywordRms:
    """Root mean square difference of keyword densities, in matches per 100 words, over the lexicon's groups.

    drift(x, r) = √( Σ_g (d_g(x) − d_g(r))² / G ),   d_g(t) = 100 · matches of group g in t / words of t

    A word is a whitespace-separated token. The metric is unbounded above in practice (the bound of 100 is
    out of reach for prose). A text without words has no density and no drift. After the metric of the run
    files that the protocol S3_EXP_003 names; their lexicon is not ours.

    >>> lexicon = Lexicon(name="toy", version="1", groups={"doubt": ("maybe",), "feeling": ("feel*",)})
    >>> KeywordRms(lexicon).distances(["maybe I feel cold"], ["it is quite cold"])
    (25.0,)
    """

    lexicon: Lexicon
    low = 0.0
    high = None

    @property
    def name(self) -> str:
        """`keyword-rms/` and the lexicon's name."""
        return f"keyword-rms/{self.lexicon.name}"

    @property
    def version(self) -> str:
        """The version of the lexicon."""
        return self.lexicon.version

    def densities(self, text: str) -> tuple[float, ...]:
        """Give the matches per 100 words of each group, in the lexicon's order."""
        words = len(text.split())
        if words == 0:
            raise MetricError(f"{self.name}: a text without words has no drift; leave empty replies out")
        plain = " ".join(text.replace("’", "'").lower().split())
        return tuple(100 * sum(1 for _ in pattern.finditer(plain)) / words for pattern in self._patterns)

    def distances(self, texts: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
        """Give the distance of each text from the reference at the same place."""
        known = {text: self.densities(text) for text in {*texts, *references}}
        groups = len(self.lexicon.groups)
        return tuple(
            math.dist(known[text], known[reference]) / math.sqrt(groups)
            for text, reference in zip(texts, references, strict=True)
        )

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(_group_pattern(entries) for entries in self.lexicon.groups.values())


@dataclass(frozen=True, slots=True)
class LexicalChar4:
    """Cosine distance of character 4-gram counts, blanks folded, case ignored; from 0 to 1.

    drift(x, r) = 1 − x·r / (|x|·|r|) over the counts of all runs of four characters.

    >>> LexicalChar4().distances(["the same words", "abcd"], ["the same words", "wxyz"])
    (0.0, 1.0)
    """

    name = "lexical-char4"
    version = "1"
    low = 0.0
    high = 1.0

    def distances(self, texts: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
        """Give the distance of each text from the reference at the same place."""
        known = {text: _char4(text) for text in {*texts, *references}}
        return tuple(
            cosine_distance(known[text], known[reference]) for text, reference in zip(texts, references, strict=True)
        )


def cosine_distance(one: Counter[str], other: Counter[str]) -> float:
    """Give 1 − cosine of two count vectors: 0 for the same direction, 1 for nothing in common."""
    if one == other:
        return 0.0
    norms = math.sqrt(sum(n * n for n in one.values()) * sum(n * n for n in other.values()))
    if norms == 0:
        return 1.0
    if len(other) < len(one):
        one, other = other, one
    dot = sum(count * other[key] for key, count in one.items())
    return min(1.0, max(0.0, 1.0 - dot / norms))


def measure(conversation: Conversation, metric: Metric) -> Conversation:
    """Give the conversation with drift computed by `metric` for every reply against its reference.

    The reference is the marked one, else the first reply, which then has no number. A drift that the log
    recorded is replaced, and the origin says so.
    """
    return measure_all((conversation,), metric)[0]


def measure_all(conversations: Sequence[Conversation], metric: Metric) -> tuple[Conversation, ...]:
    """Measure several conversations, asking the metric once: a metric that is far away is slow to ask."""
    marked = [_with_reference(conversation) for conversation in conversations]
    asked = [(place, turn, reference) for place, one in enumerate(marked) for turn, reference in _to_measure(one)]
    found = metric.distances([turn.text for _, turn, _ in asked], [reference for _, _, reference in asked])
    values: list[dict[int, float]] = [{} for _ in marked]
    for (place, turn, _), value in zip(asked, found, strict=True):
        if not is_drift(value):
            raise MetricError(f"{metric.name}: a distance of {value}, which is no drift; try another model or metric")
        values[place][turn.i] = value
    return tuple(_with_drift(one, metric, own) for one, own in zip(marked, values, strict=True))


def _to_measure(marked: Conversation) -> Iterator[tuple[Turn, str]]:
    """Give every turn that can have a drift, with what it is measured against."""
    reference = " ".join(reference_texts(marked)).strip()
    for turn in marked.turns if reference else ():
        if turn.role is Role.ASSISTANT and not turn.is_reference and not reply_problem(turn.text):
            yield turn, reference


def _with_drift(marked: Conversation, metric: Metric, values: Mapping[int, float]) -> Conversation:
    turns = tuple(replace(turn, drift=0.0 if turn.is_reference else values.get(turn.i)) for turn in marked.turns)
    index = next((turn.i for turn in turns if turn.is_reference), None)
    origin = DriftOrigin(
        metric=metric.name,
        reference="none" if index is None else f"turn:{index}",
        low=metric.low,
        high=metric.high,
        source=DriftSource.COMPUTED,
    )
    return without_void_drift(replace(marked, turns=turns, drift=origin))


def _with_reference(conversation: Conversation) -> Conversation:
    if any(turn.is_reference for turn in conversation.turns):
        return conversation
    first = next((turn.i for turn in conversation.turns if turn.role is Role.ASSISTANT), None)

    def mark(turn: Turn) -> Turn:
        return replace(turn, is_reference=True, flags=()) if turn.i == first else turn

    return replace(conversation, turns=tuple(mark(turn) for turn in conversation.turns))


def _group_pattern(entries: tuple[str, ...]) -> re.Pattern[str]:
    parts = []
    for entry in sorted(entries, key=lambda e: (-len(e), e)):
        stem = re.escape(entry.rstrip("*").replace("’", "'").lower())
        parts.append(stem + (r"[^\W_]*" if entry.endswith("*") else ""))
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(parts)})(?![^\W_])")


def _char4(text: str) -> Counter[str]:
    plain = " ".join(text.lower().split())
    return Counter(plain[k : k + 4] for k in range(max(1, len(plain) - 3))) if plain else Counter()
