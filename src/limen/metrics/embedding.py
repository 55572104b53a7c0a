"""Drift by embedding: the distance between two texts' vectors, by one of several backends."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from limen.errors import MetricError
from limen.metrics.names import Distance
from limen.metrics.vector_cache import Kept, VectorCache

Vectors = NDArray[np.float32]
"""One row a text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """Vectors of some texts; `cut` tells of which only the beginning was read."""

    vectors: Vectors
    cut: tuple[bool, ...]


class Embedder(Protocol):
    """A backend: a model that turns texts into vectors."""

    @property
    def model(self) -> str:
        """The backend and the model, as they stand in the metric's name."""
        ...

    @property
    def version(self) -> str:
        """The version of what computes the vectors, or where they come from."""
        ...

    @property
    def batch_size(self) -> int:
        """How many texts are embedded at a time."""
        ...

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of at most `batch_size` texts, or raise MetricError."""
        ...

    def remarks(self, embedded: int, cut: int) -> Sequence[str]:
        """Say what is worth knowing after so many texts were embedded, and so many are longer than was read."""
        ...

    def close(self) -> None:
        """Close what is open."""
        ...


@dataclass(slots=True, kw_only=True)
class EmbeddingMetric:
    """Distance of two texts' vectors under one model.

    cosine:     drift(x, r) = 1 − v(x)·v(r) / (|v(x)|·|v(r)|), from 0 to 2
    euclidean:  drift(x, r) = |v(x) − v(r)|, of the vectors as the model gives them, from 0 upwards

    The name is `DISTANCE/BACKEND/MODEL`; another model is another metric, with thresholds of its own. Vectors are
    kept in the cache under the hash of the text and the backend, so that no text is embedded twice.
    """

    embedder: Embedder
    distance: Distance
    cache: VectorCache | None = None
    on_texts: Callable[[int], None] | None = None
    low: float = field(default=0.0, init=False)
    embedded: int = field(default=0, init=False)
    _cut: set[int] = field(default_factory=set, init=False)

    @property
    def name(self) -> str:
        """The distance and the model."""
        return f"{self.distance}/{self.embedder.model}"

    @property
    def version(self) -> str:
        """The version of the backend."""
        return self.embedder.version

    @property
    def high(self) -> float | None:
        """The largest distance there is; None when unbounded."""
        return 2.0 if self.distance is Distance.COSINE else None

    def remarks(self) -> tuple[str, ...]:
        """Say what is worth knowing after measuring, such as texts that were cut."""
        return tuple(f"{self.name}: {said}" for said in self.embedder.remarks(self.embedded, len(self._cut)))

    def distances(self, texts: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
        """Give the distance of each text from the reference at the same place."""
        if len(texts) != len(references):
            raise ValueError("each text has one reference")
        if not texts:
            return ()
        different = tuple(dict.fromkeys([*texts, *references]))
        vectors = self._vectors(different)
        row = {text: place for place, text in enumerate(different)}
        found = _apart(self.distance, vectors[[row[t] for t in texts]], vectors[[row[r] for r in references]])
        return tuple(
            0.0 if text == reference else float(value)
            for text, reference, value in zip(texts, references, found, strict=True)
        )

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        kept = self.cache.get(self._backend, texts) if self.cache else {}
        for batch in _batches([text for text in texts if text not in kept], self.embedder.batch_size):
            kept |= self._embed(batch)
        self._cut |= {hash(text) for text in texts if kept[text].cut}
        sizes = {len(kept[text].vector) for text in texts}
        if len(sizes) > 1:
            raise MetricError(
                f"{self.embedder.model}: vectors of {' and '.join(map(str, sorted(sizes)))} numbers, so not all from "
                "one model; give another --cache folder, or ask who runs the model"
            )
        vectors = np.stack([kept[text].vector for text in texts])
        if self.distance is Distance.COSINE and not vectors.any(axis=1).all():
            raise MetricError(
                f"{self.embedder.model}: a vector of zeros, which has no direction and so no cosine; "
                f"use {Distance.EUCLIDEAN}/{self.embedder.model}, or another model"
            )
        return vectors

    def _embed(self, batch: Sequence[str]) -> dict[str, Kept]:
        answer = self.embedder.embed(batch)
        if not np.isfinite(answer.vectors).all():
            raise MetricError(f"{self.embedder.model}: a vector with something that is no number; try another model")
        found = {
            text: Kept(vector=vector, cut=cut)
            for text, vector, cut in zip(batch, answer.vectors, answer.cut, strict=True)
        }
        if self.cache:
            self.cache.put(self._backend, found)
        self.embedded += len(batch)
        if self.on_texts:
            self.on_texts(len(batch))
        return found

    @property
    def _backend(self) -> str:
        return f"{self.embedder.model} {self.embedder.version}"


def _apart(distance: Distance, one: Vectors, other: Vectors) -> NDArray[np.float64]:
    """Give the distance of each row of `one` from the row of `other` at the same place."""
    x, y = one.astype(np.float64), other.astype(np.float64)
    if distance is Distance.EUCLIDEAN:
        return np.asarray(np.linalg.norm(x - y, axis=1))
    lengths = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    return np.asarray(np.clip(1.0 - (x * y).sum(axis=1) / lengths, 0.0, 2.0))


def _batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    for start in range(0, len(texts), size):
        yield texts[start : start + size]
