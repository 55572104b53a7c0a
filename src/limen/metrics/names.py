"""How embedding metrics are called: `DISTANCE/BACKEND/MODEL`."""

import importlib.util
from dataclasses import dataclass
from enum import StrEnum
from typing import Self


class Distance(StrEnum):
    """How far apart two vectors are."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


class Backend(StrEnum):
    """What turns a text into a vector."""

    WORDLLAMA = "wordllama"
    SENTENCE_TRANSFORMERS = "sentence-transformers"
    ENDPOINT = "endpoint"

    @property
    def is_installed(self) -> bool:
        """Tell whether the package that it needs is there, without importing it."""
        package = self.value.replace("-", "_")
        return self is Backend.ENDPOINT or importlib.util.find_spec(package) is not None


WORDLLAMA_MODEL = "l2_supercat-256"
"""The one model that the wheel of wordllama carries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingName:
    """The parts of a name. A model may have slashes in it."""

    distance: Distance
    backend: Backend
    model: str

    @classmethod
    def parse(cls, name: str) -> Self | None:
        """Read a name; None when it is not that of an embedding metric that can be computed."""
        match name.split("/", 2):
            case [distance, backend, model] if model and distance in set(Distance) and backend in set(Backend):
                return cls(distance=Distance(distance), backend=Backend(backend), model=model)
        return None

    def __str__(self) -> str:
        return f"{self.distance}/{self.backend}/{self.model}"
