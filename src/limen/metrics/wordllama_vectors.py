"""Static vectors of WordLlama, from the files inside its wheel: nothing is fetched."""

import importlib.metadata
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from limen.errors import MetricError
from limen.metrics.embedding import Embedded
from limen.metrics.names import WORDLLAMA_MODEL, Backend

MODEL = f"{Backend.WORDLLAMA}/{WORDLLAMA_MODEL}"


@dataclass(frozen=True, slots=True)
class WordLlamaVectors:
    """The mean of a text's token vectors, 256 numbers each. Order and context of words do not count; no text is cut.

    Source: WordLlama (D. L. Miller), the model l2_supercat that its wheel carries.
    """

    _model: Any  # the package has no types
    model = MODEL
    batch_size = 64

    @property
    def version(self) -> str:
        """The version of the package, and so of the vectors in it."""
        return importlib.metadata.version("wordllama")

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of the texts."""
        return Embedded(vectors=self._model.embed(list(texts), batch_size=self.batch_size), cut=(False,) * len(texts))

    def remarks(self, embedded: int, cut: int) -> tuple[str, ...]:
        """Nothing: it reads texts of any length, and they stay here."""
        return ()

    def close(self) -> None:
        """Nothing is open."""


def load_wordllama() -> WordLlamaVectors:
    """Load the model from the package's own folder. Raises MetricError when the package is not installed."""
    if not Backend.WORDLLAMA.is_installed:
        raise MetricError(f"{MODEL} needs the package wordllama; install it with pip install 'limen[wordllama]'")
    with _quiet_root_logger():
        import wordllama  # noqa: PLC0415 - it costs, and needs the extra

        folder = Path(wordllama.__file__).parent
        try:
            model = wordllama.WordLlama.load("l2_supercat", dim=256, cache_dir=folder, disable_download=True)
        except (OSError, ValueError) as problem:
            raise MetricError(
                f"{MODEL}: this installation of wordllama lacks its vectors ({problem}); install it anew"
            ) from problem
    return WordLlamaVectors(model)


@contextmanager
def _quiet_root_logger() -> Iterator[None]:
    """Undo what the package does on import: it makes every library of the process log to the terminal."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers
