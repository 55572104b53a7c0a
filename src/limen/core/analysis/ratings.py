"""Who said SOMETHING'S OFF of which pair: the one table that every measure reads.

Rows are raters, columns are pairs. Conditions are data: a pair carries the index of its condition, and a
measure is handed the pairs it is about. `Contrast` names the two roles a selection of pairs can play.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limen.errors import DataError

Scalar = TypeVar("Scalar", bound=np.generic)

MISSING = -1
"""The code of a cell without an answer, where answers are written as codes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ratings:
    """The answers of raters (rows) to pairs (columns).

    `off` is true for SOMETHING'S OFF, and false where there is no answer; `answered` tells the two apart.
    `condition` holds for each pair the place of its condition in `conditions`.
    """

    off: NDArray[np.bool_]
    answered: NDArray[np.bool_]
    condition: NDArray[np.intp]
    conditions: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that the parts fit, and seal the arrays."""
        shape = self.off.shape
        if len(shape) != 2 or self.answered.shape != shape or self.condition.shape != shape[1:]:
            raise DataError(
                f"ratings: {shape} answers, {self.answered.shape} marks, {self.condition.shape} conditions "
                "do not fit; give raters × pairs twice and one condition a pair"
            )
        if len(set(self.conditions)) != len(self.conditions):
            raise DataError(f"ratings: conditions {self.conditions} repeat a name; name each once")
        if np.any((self.condition < 0) | (self.condition >= len(self.conditions))):
            raise DataError("ratings: a pair has a condition that is not listed; list every condition")
        object.__setattr__(self, "off", _sealed(self.off & self.answered))
        object.__setattr__(self, "answered", _sealed(self.answered))
        object.__setattr__(self, "condition", _sealed(self.condition))

    @classmethod
    def of(cls, off: ArrayLike, condition_of_pair: Sequence[str], *, answered: ArrayLike | None = None) -> Self:
        """Build ratings from 0/1 answers and the name of each pair's condition.

        Conditions are listed in the order in which they first appear. Without `answered` every cell counts
        as answered.

        >>> Ratings.of([[0, 1], [1, 1]], ["calm", "wild"]).of_condition("wild").off_counts().tolist()
        [2]
        """
        given = np.asarray(off)
        marks = np.ones(given.shape, bool) if answered is None else np.asarray(answered, bool)
        if marks.shape == given.shape and np.any((given[marks] != 0) & (given[marks] != 1)):
            raise DataError("ratings: an answer is 0 (NORMAL) or 1 (SOMETHING'S OFF); found something else")
        conditions = tuple(dict.fromkeys(condition_of_pair))
        places = {name: place for place, name in enumerate(conditions)}
        return cls(
            off=(given == 1),
            answered=marks,
            condition=np.array([places[name] for name in condition_of_pair], dtype=np.intp),
            conditions=conditions,
        )

    @property
    def raters(self) -> int:
        """The number of raters."""
        return int(self.off.shape[0])

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return int(self.off.shape[1])

    @property
    def n(self) -> int:
        """The number of answers there are."""
        return int(self.answered.sum())

    @property
    def n_off(self) -> int:
        """The number of SOMETHING'S OFF answers."""
        return int(self.off.sum())

    @property
    def missing(self) -> int:
        """The number of cells without an answer."""
        return self.off.size - self.n

    def of_condition(self, *names: str) -> Self:
        """Keep the pairs of the named conditions."""
        unknown = [name for name in names if name not in self.conditions]
        if unknown:
            raise DataError(f"ratings: no condition {unknown[0]!r}; there are {', '.join(self.conditions)}")
        return self.of_pairs(np.isin(self.condition, [self.conditions.index(name) for name in names]))

    def of_pairs(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Keep the chosen pairs (a mask, or places in the order wanted)."""
        return type(self)(
            off=self.off[:, chosen],
            answered=self.answered[:, chosen],
            condition=self.condition[chosen],
            conditions=self.conditions,
        )

    def of_raters(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Self:
        """Keep the chosen raters (a mask, or places in the order wanted)."""
        return type(self)(
            off=self.off[chosen],
            answered=self.answered[chosen],
            condition=self.condition,
            conditions=self.conditions,
        )

    def of_complete_raters(self) -> Self:
        """Keep the raters who answered every pair."""
        return self.of_raters(np.asarray(self.answered.all(axis=1), dtype=np.bool_))

    def off_counts(self) -> NDArray[np.int64]:
        """Count, for each pair, the raters who said SOMETHING'S OFF."""
        return np.asarray(self.off.sum(axis=0, dtype=np.int64))

    def category_counts(self) -> NDArray[np.int64]:
        """Count, for each pair, the NORMAL and the SOMETHING'S OFF answers (pairs × 2)."""
        off = self.off_counts()
        return np.stack([self.answered.sum(axis=0, dtype=np.int64) - off, off], axis=1)

    def codes(self) -> NDArray[np.int8]:
        """Write the answers as codes: 0 NORMAL, 1 SOMETHING'S OFF, `MISSING` where there is none."""
        return np.where(self.answered, self.off.astype(np.int8), np.int8(MISSING))

    def contrast(self, *, target: str, baseline: str) -> "Contrast":
        """Set one condition against another."""
        return Contrast(target=self.of_condition(target), baseline=self.of_condition(baseline))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contrast:
    """Two selections of pairs answered by the same raters, in the same order.

    `target` holds the pairs in which there is something to notice (signal), `baseline` those it is compared
    with (noise). A hit is OFF on a target pair, a false alarm is OFF on a baseline pair.
    """

    target: Ratings
    baseline: Ratings

    def __post_init__(self) -> None:
        """Check that both selections have the same raters."""
        if self.target.raters != self.baseline.raters:
            raise DataError(
                f"contrast: {self.target.raters} raters against {self.baseline.raters}; "
                "take both selections from the same ratings"
            )

    @property
    def raters(self) -> int:
        """The number of raters."""
        return self.target.raters

    @property
    def n(self) -> int:
        """The number of answers in both selections."""
        return self.target.n + self.baseline.n


def _sealed(array: NDArray[Scalar]) -> NDArray[Scalar]:
    own = array.copy()
    own.flags.writeable = False
    return own
