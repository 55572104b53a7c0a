"""Which texts are nearly the same: found among many at once, by the 6-word sequences that they share."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from limen.core.pair import Pair
from limen.core.pairing import word_sequences

_ROWS_AT_ONCE = 256  # bounds memory where many texts share a phrase


@dataclass(frozen=True, slots=True)
class NearTexts:
    """For each text those that are nearly the same, itself included."""

    of: Mapping[str, frozenset[str]]

    def show_nearly_the_same(self, one: Pair, other: Pair) -> bool:
        """Tell whether a reader of both pairs would read nearly the same text twice."""
        shown = {other.a.text, other.b.text}
        return not shown.isdisjoint(self.of[one.a.text]) or not shown.isdisjoint(self.of[one.b.text])

    def groups(self) -> Iterator[frozenset[str]]:
        """Give groups of texts that are all nearly the same as each other; every two near texts share a group."""
        covered: set[tuple[str, str]] = set()
        for text in sorted(self.of):
            for other in sorted(self.of[text]):
                if (text, other) in covered:
                    continue
                group = [text] if text == other else [text, other]
                for third in sorted(self.of[text] & self.of[other] - set(group)):
                    if self.of[third].issuperset(group):
                        group.append(third)
                covered |= {(x, y) for x in group for y in group}
                yield frozenset(group)


def find_near_texts(pairs: Iterable[Pair], share: float) -> NearTexts:
    """Compare all texts that the pairs show: near have `share` of the shorter one's sequences in common."""
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.a.text, pair.b.text)))
    near: dict[str, set[str]] = {text: {text} for text in texts}
    if texts:
        for one, other in _in_common(texts, share):
            near[texts[one]].add(texts[other])
    return NearTexts({text: frozenset(others) for text, others in near.items()})


def _in_common(texts: list[str], share: float) -> Iterator[tuple[int, int]]:
    sequences = [{hash(s) for s in word_sequences(text)} for text in texts]
    sizes = np.array([len(hashes) for hashes in sequences])
    hashes = np.concatenate([np.fromiter(hashes, dtype=np.int64) for hashes in sequences])
    distinct, columns = np.unique(hashes, return_inverse=True)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    holds = csr_array((np.ones(len(hashes), dtype=np.int32), columns, starts), shape=(len(texts), len(distinct)))
    held_by = holds.T.tocsr()
    for first in range(0, len(texts), _ROWS_AT_ONCE):
        common = (holds[first : first + _ROWS_AT_ONCE] @ held_by).tocoo()
        rows, others = common.coords[0] + first, common.coords[1]
        near = common.data >= share * np.minimum(sizes[rows], sizes[others])
        yield from zip(rows[near].tolist(), others[near].tolist(), strict=True)
