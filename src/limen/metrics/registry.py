"""Metrics by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from limen.core.drift import KeywordRms, LexicalChar4, Metric
from limen.errors import MetricError
from limen.metrics.lexicon_files import built_in_lexicons, find_lexicon
from limen.metrics.names import WORDLLAMA_MODEL, Backend, Distance, EmbeddingName

if TYPE_CHECKING:
    from limen.metrics.embedding import Embedder, EmbeddingMetric
    from limen.metrics.endpoint import Address
    from limen.metrics.vector_cache import VectorCache


@dataclass(slots=True)
class MetricShelf:
    """The metrics that can be computed here. A study's own lexicons stand in `lexicon_folder`.

    Embedding backends are imported when one of their metrics is asked for. An endpoint is asked only where
    `endpoint` says so: without it, its metrics are names of recorded drift.
    """

    lexicon_folder: Path | None = None
    cache_folder: Path | None = None
    endpoint: "Address | None" = None
    on_texts: Callable[[int], None] | None = None
    _found: dict[str, Metric] = field(default_factory=dict)
    _embedding: "dict[str, EmbeddingMetric]" = field(default_factory=dict)
    _embedders: "dict[str, Embedder]" = field(default_factory=dict)
    _cache: "VectorCache | None" = None

    def find(self, name: str) -> Metric:
        """Give the metric called `name`, or raise MetricError with those that are known."""
        if name not in self._found:
            metric = self._make(name)
            self._found[name] = self._found[metric.name] = metric
        return self._found[name]

    def can_compute(self, name: str) -> bool:
        """Tell whether new text can be measured with the metric called `name`."""
        if name in self._found or name in _BUILT_IN or self._is_lexicon(name):
            return True
        wanted = EmbeddingName.parse(name)
        if wanted is None or not wanted.backend.is_installed:
            return False
        match wanted.backend:
            case Backend.WORDLLAMA:
                return wanted.model == WORDLLAMA_MODEL
            case Backend.SENTENCE_TRANSFORMERS:
                return (Path(wanted.model) / "modules.json").is_file()
        return self.endpoint is not None

    def names(self) -> tuple[str, ...]:
        """Give the names of all metrics that can be computed here without being told more."""
        own = self.lexicon_folder.glob("*.toml") if self.lexicon_folder else ()
        lexicons = {*built_in_lexicons(), *(file.stem for file in own)}
        static = [
            str(EmbeddingName(distance=distance, backend=Backend.WORDLLAMA, model=WORDLLAMA_MODEL))
            for distance in (Distance if Backend.WORDLLAMA.is_installed else ())
        ]
        return (*(_KEYWORD_RMS + lexicon for lexicon in sorted(lexicons)), *_BUILT_IN, *static)

    def remarks(self) -> tuple[str, ...]:
        """Say what is worth knowing of the embedding metrics after measuring."""
        return tuple(said for metric in self._embedding.values() for said in metric.remarks())

    def close(self) -> None:
        """Close what is open."""
        for embedder in self._embedders.values():
            embedder.close()
        if self._cache:
            self._cache.close()

    def _make(self, name: str) -> Metric:
        if name in _BUILT_IN:
            return _BUILT_IN[name]()
        if self._is_lexicon(name):
            return KeywordRms(find_lexicon(name.removeprefix(_KEYWORD_RMS), self.lexicon_folder))
        wanted = EmbeddingName.parse(name)
        if wanted is not None:
            return self._make_embedding(wanted)
        raise MetricError(
            f"metric {name!r} cannot be computed here; choose one of {', '.join((*self.names(), *_SHAPES))}"
        )

    def _make_embedding(self, wanted: EmbeddingName) -> Metric:
        from limen.metrics.embedding import EmbeddingMetric  # noqa: PLC0415
        from limen.metrics.vector_cache import VectorCache, default_cache_folder  # noqa: PLC0415

        self._cache = self._cache or VectorCache(self.cache_folder or default_cache_folder())
        where = f"{wanted.backend}/{wanted.model}"
        if where not in self._embedders:
            self._embedders[where] = self._load(wanted)
        metric = EmbeddingMetric(
            embedder=self._embedders[where],
            distance=wanted.distance,
            cache=self._cache,
            on_texts=self.on_texts,
        )
        self._embedding[metric.name] = metric
        return metric

    def _load(self, wanted: EmbeddingName) -> "Embedder":
        match wanted.backend:
            case Backend.WORDLLAMA:
                from limen.metrics.wordllama_vectors import load_wordllama  # noqa: PLC0415

                if wanted.model != WORDLLAMA_MODEL:
                    raise MetricError(f"{wanted}: the one model that needs no download is {WORDLLAMA_MODEL}; use that")
                return load_wordllama()
            case Backend.SENTENCE_TRANSFORMERS:
                from limen.metrics.sentence_transformers_folder import load_folder  # noqa: PLC0415

                return load_folder(Path(wanted.model))
        from limen.metrics.endpoint import EndpointVectors  # noqa: PLC0415

        if self.endpoint is None:
            raise MetricError(
                f"{wanted} sends every text away, so its address has to be named: --endpoint https://host/v1"
            )
        return EndpointVectors(address=self.endpoint, served=wanted.model)

    def _is_lexicon(self, name: str) -> bool:
        return name.startswith(_KEYWORD_RMS) and name in self.names()


_KEYWORD_RMS = "keyword-rms/"
_BUILT_IN: Mapping[str, Callable[[], Metric]] = {"lexical-char4": LexicalChar4}
_SHAPES = ("cosine/sentence-transformers/FOLDER", "cosine/endpoint/MODEL (with --endpoint)")
