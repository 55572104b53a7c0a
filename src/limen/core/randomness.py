"""One study seed, independent named streams.

A stream draws only through `random.Random.random()`, the one method whose sequence Python promises to
keep between versions, so that an order drawn today is drawn again in ten years.
"""

import hashlib
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def lot(seed: int, name: str) -> float:
    """Draw the one number from [0, 1) that belongs to a name: for breaking ties among many, without a stream each."""
    return int.from_bytes(_digest(seed, name)[:7], "big") / 2**56


class Stream:
    """A source of chance of its own: the same seed and name always give the same draws."""

    def __init__(self, seed: int, name: str) -> None:
        self._random = random.Random(int.from_bytes(_digest(seed, name), "big"))  # noqa: S311 - a design, not a secret

    def unit(self) -> float:
        """Draw from [0, 1)."""
        return self._random.random()

    def below(self, bound: int) -> int:
        """Draw an integer from 0 to `bound` − 1."""
        return int(self._random.random() * bound)

    def pick(self, choices: Sequence[T]) -> T:
        """Draw one of `choices`."""
        return choices[self.below(len(choices))]

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        """Draw an order of `items`, every order equally likely."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)


def _digest(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}/{name}".encode()).digest()
