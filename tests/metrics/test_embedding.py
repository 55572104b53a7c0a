import math
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embedding_server import an_embedding_server, vector_of
from limen.errors import MetricError
from limen.metrics.embedding import Embedded, EmbeddingMetric
from limen.metrics.endpoint import Address
from limen.metrics.names import Distance
from limen.metrics.registry import MetricShelf
from limen.metrics.vector_cache import Kept, VectorCache, default_cache_folder


@dataclass
class ListedVectors:
    """A small true backend: vectors from a table, and a limit of words."""

    table: dict[str, list[float]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    model: str = "listed/one"
    version: str = "1"
    batch_size: int = 3
    fail_after: int | None = None

    def embed(self, texts: Sequence[str]) -> Embedded:
        if self.fail_after is not None and len(self.asked) >= self.fail_after:
            raise KeyboardInterrupt
        self.asked += texts
        rows = [self.table.get(text) or vector_of(text) for text in texts]
        return Embedded(vectors=np.array(rows, np.float32), cut=tuple(len(text.split()) > 5 for text in texts))

    def remarks(self, embedded: int, cut: int) -> tuple[str, ...]:
        return (f"{embedded} embedded, {cut} cut",)

    def close(self) -> None:
        pass


_opened: list[VectorCache] = []


@pytest.fixture(autouse=True)
def _close_caches() -> Iterator[None]:
    yield
    while _opened:
        _opened.pop().close()


def _cache(folder: Path) -> VectorCache:
    _opened.append(VectorCache(folder))
    return _opened[-1]


def _metric(
    embedder: ListedVectors, distance: Distance = Distance.COSINE, cache: Path | None = None
) -> EmbeddingMetric:
    return EmbeddingMetric(embedder=embedder, distance=distance, cache=_cache(cache) if cache else None)


SQUARE = {"east": [1.0, 0.0], "far east": [3.0, 0.0], "north": [0.0, 1.0], "west": [-1.0, 0.0]}


def test_cosine_sees_the_direction_only() -> None:
    metric = _metric(ListedVectors(SQUARE))
    assert metric.distances(["east", "far east", "north", "west"], ["east"] * 4) == (0.0, 0.0, 1.0, 2.0)
    assert (metric.name, metric.low, metric.high) == ("cosine/listed/one", 0.0, 2.0)


def test_euclidean_sees_the_length_too_and_has_no_upper_bound() -> None:
    metric = _metric(ListedVectors(SQUARE), Distance.EUCLIDEAN)
    assert metric.distances(["east", "far east", "north", "west"], ["east"] * 4) == (0.0, 2.0, math.sqrt(2), 2.0)
    assert (metric.name, metric.low, metric.high) == ("euclidean/listed/one", 0.0, None)


@settings(max_examples=30)
@given(st.lists(st.text(min_size=1), min_size=1, max_size=8), st.sampled_from(Distance))
def test_distances_are_symmetric_within_range_and_zero_for_the_same_text(texts: list[str], distance: Distance) -> None:
    metric = _metric(ListedVectors(), distance)
    backwards = texts[::-1]
    found = metric.distances(texts, backwards)
    assert found == pytest.approx(metric.distances(backwards, texts))
    assert all(value >= 0 and (metric.high is None or value <= metric.high) for value in found)
    assert metric.distances(texts, texts) == (0.0,) * len(texts)


def test_nothing_to_measure_asks_nothing() -> None:
    embedder = ListedVectors()
    assert _metric(embedder).distances([], []) == ()
    assert embedder.asked == []


def test_each_different_text_is_embedded_once_in_batches() -> None:
    embedder = ListedVectors()
    _metric(embedder).distances(["a", "b", "a", "c", "d"], ["r"] * 5)
    assert embedder.asked == ["a", "b", "c", "d", "r"]


def test_a_second_run_embeds_nothing_and_gives_the_same(tmp_path: Path) -> None:
    first, second = ListedVectors(), ListedVectors()
    found = _metric(first, cache=tmp_path).distances(["a", "b"], ["r", "r"])
    again = _metric(second, cache=tmp_path)
    assert again.distances(["a", "b"], ["r", "r"]) == found
    assert second.asked == []
    assert _metric(second, Distance.EUCLIDEAN, tmp_path).distances(["a"], ["b"])
    assert second.asked == []


def test_an_interrupted_run_goes_on_where_it_was(tmp_path: Path) -> None:
    texts = [f"text {n}" for n in range(10)]
    with pytest.raises(KeyboardInterrupt):
        _metric(ListedVectors(fail_after=6), cache=tmp_path).distances(texts, [texts[0]] * 10)
    rest = ListedVectors()
    _metric(rest, cache=tmp_path).distances(texts, [texts[0]] * 10)
    assert rest.asked == texts[6:]


@pytest.mark.parametrize("other", [ListedVectors(model="listed/two"), ListedVectors(version="2")])
def test_another_model_or_version_has_vectors_of_its_own(tmp_path: Path, other: ListedVectors) -> None:
    _metric(ListedVectors(), cache=tmp_path).distances(["a"], ["r"])
    _metric(other, cache=tmp_path).distances(["a"], ["r"])
    assert other.asked == ["a", "r"]


def test_what_was_cut_is_remembered_by_the_cache(tmp_path: Path) -> None:
    long = "one two three four five six"
    _metric(ListedVectors(), cache=tmp_path).distances([long], ["r"])
    again = _metric(ListedVectors(), cache=tmp_path)
    again.distances([long, long], ["r", "r"])
    assert again.remarks() == ("cosine/listed/one: 0 embedded, 1 cut",)


def test_no_text_stands_in_the_cache(tmp_path: Path) -> None:
    _metric(ListedVectors(), cache=tmp_path).distances(["my private words"], ["r"])
    written = [path.read_bytes() for path in tmp_path.iterdir()]
    assert sum(map(len, written)) > 1000
    assert not any(b"private" in part for part in written)


def test_a_cache_that_is_none_is_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(b"this is no database, and long enough to be seen as none" * 40)
    with pytest.raises(MetricError, match="delete the file, or give another folder with --cache"):
        _metric(ListedVectors(), cache=tmp_path).distances(["a"], ["r"])
    blocked = tmp_path / "file"
    blocked.write_text("x")
    with pytest.raises(MetricError, match="--cache"):
        _metric(ListedVectors(), cache=blocked).distances(["a"], ["r"])


def test_a_cache_with_half_a_vector_is_told(tmp_path: Path) -> None:
    cache = _cache(tmp_path)
    cache.put("b", {"a": Kept(vector=np.ones(2, np.float32), cut=False)})
    database = sqlite3.connect(cache.path)
    with database:
        database.execute("UPDATE vector SET numbers = x'000102'")
    database.close()
    with pytest.raises(MetricError, match="cannot be used"):
        cache.get("b", ["a"])


def test_more_texts_than_one_question_can_hold_are_found_again(tmp_path: Path) -> None:
    cache = _cache(tmp_path)
    kept = {f"text {n}": Kept(vector=np.full(2, n, np.float32), cut=n % 2 == 0) for n in range(1203)}
    cache.put("b", kept)
    found = cache.get("b", [*kept, "never seen"])
    assert found.keys() == kept.keys()
    assert all(found[text].vector[0] == kept[text].vector[0] and found[text].cut == kept[text].cut for text in kept)


def test_a_vector_of_zeros_has_no_cosine_but_a_distance(tmp_path: Path) -> None:
    table = {"nothing": [0.0, 0.0], "east": [1.0, 0.0]}
    assert _metric(ListedVectors(table), Distance.EUCLIDEAN, tmp_path).distances(["nothing"], ["east"]) == (1.0,)
    with pytest.raises(MetricError, match="a vector of zeros"):
        _metric(ListedVectors(table), cache=tmp_path).distances(["nothing"], ["east"])


def test_vectors_of_two_sizes_are_not_compared(tmp_path: Path) -> None:
    _metric(ListedVectors({"a": [1.0, 0.0, 0.0]}), cache=tmp_path).distances(["a"], ["a"])
    with pytest.raises(MetricError, match="vectors of 2 and 3 numbers"):
        _metric(ListedVectors({"b": [1.0, 0.0]}), cache=tmp_path).distances(["a"], ["b"])


def test_the_cache_is_where_this_user_keeps_such_things(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "limen"


def test_an_endpoint_metric_sends_each_text_once_and_says_to_whom(tmp_path: Path) -> None:
    with an_embedding_server() as server:
        address = Address(url=server.address)
        shelf = MetricShelf(cache_folder=tmp_path, endpoint=address)
        metric = shelf.find("cosine/endpoint/org/model-1")
        metric.distances(["a", "b"], ["r", "r"])
        shelf.close()
        assert (metric.name, metric.version) == ("cosine/endpoint/org/model-1", server.address)
        assert server.models == ["org/model-1"]
        assert shelf.remarks() == (f"cosine/endpoint/org/model-1: 3 texts sent to {address.host}",)
        again = MetricShelf(cache_folder=tmp_path, endpoint=address)
        again.find("euclidean/endpoint/org/model-1").distances(["a", "b"], ["r", "r"])
        again.close()
        assert len(server.asked) == 1
        assert again.remarks() == (f"euclidean/endpoint/org/model-1: nothing sent to {address.host}: all known",)
