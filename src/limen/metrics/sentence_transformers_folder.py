"""Any sentence-transformers model that lies in a folder of this machine: nothing is fetched."""

import hashlib
import importlib.metadata
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from limen.errors import MetricError
from limen.metrics.embedding import Embedded
from limen.metrics.names import Backend


@dataclass(frozen=True, slots=True)
class SentenceTransformerFolder:
    """A model by its folder. Its name has a hash of its files, so that two models of one folder name stay apart."""

    _model: Any  # the package is not part of the environment in which types are checked
    model: str
    batch_size = 32

    @property
    def version(self) -> str:
        """The version of the package; that of the model is in its name."""
        return importlib.metadata.version("sentence-transformers")

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Give the vectors of the texts, and which of them are longer than the model reads."""
        vectors = self._model.encode(
            list(texts), batch_size=self.batch_size, convert_to_numpy=True, show_progress_bar=False
        )
        return Embedded(vectors=np.asarray(vectors, np.float32), cut=tuple(self._is_cut(text) for text in texts))

    def remarks(self, embedded: int, cut: int) -> tuple[str, ...]:
        """Say how many texts were cut, and where."""
        texts, whose = ("1 text is", "its") if cut == 1 else (f"{cut:,} texts are", "their")
        limit = self._model.max_seq_length
        said = f"{texts} longer than the {limit} tokens that the model reads, and only {whose} beginning counts"
        return (said,) if cut else ()

    def close(self) -> None:
        """Nothing is open."""

    def _is_cut(self, text: str) -> bool:
        limit = self._model.max_seq_length
        if limit is None or not math.isfinite(limit):
            return False
        tokens = self._model.tokenizer(text, truncation=False, verbose=False)["input_ids"]
        return len(tokens) > int(limit)


def load_folder(folder: Path) -> SentenceTransformerFolder:
    """Load a model. Raises MetricError when the package is missing or the folder holds no model."""
    if not (folder / "modules.json").is_file():
        raise MetricError(
            f"{folder}: no sentence-transformers model (no modules.json in it); give the folder of one, as its "
            "save() writes it: cosine/sentence-transformers/FOLDER"
        )
    if not Backend.SENTENCE_TRANSFORMERS.is_installed:
        raise MetricError(
            f"{Backend.SENTENCE_TRANSFORMERS}/{folder.name} needs the package sentence-transformers; install it with "
            "pip install 'limen[sentence-transformers]'"
        )
    import sentence_transformers  # noqa: PLC0415 - it takes seconds, and needs the extra

    try:
        model = sentence_transformers.SentenceTransformer(
            str(folder), device="cpu", local_files_only=True, trust_remote_code=False
        )
    except Exception as problem:  # whatever the model's own code raises
        said = " ".join(str(problem).split())[:200]
        raise MetricError(f"{folder}: this model cannot be loaded ({type(problem).__name__}: {said})") from problem
    return SentenceTransformerFolder(
        model, f"{Backend.SENTENCE_TRANSFORMERS}/{folder.resolve().name}-{_digest(folder)[:8]}"
    )


def _digest(folder: Path) -> str:
    """Hash the model's files, whatever their order on the disk; notes about it do not count."""
    whole = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file() and p.suffix in _MODEL_FILES):
        whole.update(path.relative_to(folder).as_posix().encode())
        with path.open("rb") as file:
            whole.update(hashlib.file_digest(file, "sha256").digest())
    return whole.hexdigest()


_MODEL_FILES = {".json", ".txt", ".safetensors", ".bin", ".model"}
