"""The backends that run on this machine, and what is said where they are not installed."""

import json
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limen.errors import MetricError
from limen.metrics.names import Backend, EmbeddingName
from limen.metrics.registry import MetricShelf
from limen.metrics.sentence_transformers_folder import SentenceTransformerFolder, load_folder

WORDLLAMA = "cosine/wordllama/l2_supercat-256"


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


@pytest.mark.usefixtures("no_network")
def test_wordllama_measures_meaning_without_the_network(tmp_path: Path) -> None:
    shelf = MetricShelf(cache_folder=tmp_path)
    metric = shelf.find(WORDLLAMA)
    near, far = metric.distances(
        ["The cat sleeps on the sofa.", "Shares fell sharply."], ["A kitten naps indoors."] * 2
    )
    assert 0 < near < far <= 2
    shelf.close()
    assert metric.name == WORDLLAMA
    assert shelf.remarks() == ()


def test_wordllama_does_not_make_other_libraries_talk() -> None:
    """In a process of its own: in this one wordllama may be loaded already, and others may have set up the log."""
    look = f"""
import logging
from limen.metrics.registry import MetricShelf
MetricShelf().find({WORDLLAMA!r})
print(logging.getLogger().level == logging.WARNING, logging.getLogger().handlers)
"""
    done = subprocess.run([sys.executable, "-c", look], check=True, capture_output=True, text=True)
    assert done.stdout == "True []\n"
    assert done.stderr == ""


def test_no_backend_is_imported_before_it_is_asked_for() -> None:
    code = (
        "import sys; from limen.cli.main import command_line; from limen.metrics.registry import MetricShelf\n"
        "command_line()\n"
        "shelf = MetricShelf(); shelf.names(); shelf.find('lexical-char4'); shelf.can_compute('cosine/endpoint/x')\n"
        "print([m for m in ('wordllama', 'sentence_transformers', 'httpx', 'numpy', 'torch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize(
    "name", ["cosine/wordllama/l3_supercat-1024", "cosine/endpoint/m", "cosine/wordllama", "cosine/x/y"]
)
def test_a_name_is_not_computed_without_what_it_needs(name: str) -> None:
    shelf = MetricShelf()
    assert not shelf.can_compute(name)
    with pytest.raises(MetricError) as caught:
        shelf.find(name)
    assert "\n" not in str(caught.value)


def test_where_a_package_is_missing_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Backend, "is_installed", False)
    assert WORDLLAMA not in MetricShelf().names()
    assert not MetricShelf().can_compute(WORDLLAMA)
    with pytest.raises(MetricError, match=r"pip install 'limen\[wordllama\]'"):
        MetricShelf().find(WORDLLAMA)
    (tmp_path / "modules.json").write_text("[]")
    with pytest.raises(MetricError, match=r"pip install 'limen\[sentence-transformers\]'"):
        MetricShelf().find(f"cosine/sentence-transformers/{tmp_path}")


def test_a_folder_without_a_model_is_told() -> None:
    with pytest.raises(MetricError, match=r"no modules\.json"):
        load_folder(Path("nowhere"))


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("cosine/endpoint/BAAI/bge-m3", "BAAI/bge-m3"),
        ("euclidean/sentence-transformers//srv/models/x", "/srv/models/x"),
        ("cosine/sentence-transformers/../x", "../x"),
    ],
)
def test_a_model_may_have_slashes(name: str, model: str) -> None:
    found = EmbeddingName.parse(name)
    assert found is not None
    assert (found.model, str(found)) == (model, name)


class _WordModel:
    """Has the few members that the adapter uses of a SentenceTransformer: a token a word, four of them read."""

    max_seq_length: float | None = 4

    def encode(self, texts: Sequence[str], **_: object) -> np.ndarray[Any, Any]:
        return np.array([[len(text.split()[:4]), 1.0] for text in texts])

    def tokenizer(self, text: str, **_: object) -> dict[str, list[str]]:
        return {"input_ids": text.split()}


def test_texts_beyond_the_models_limit_are_told_as_cut() -> None:
    adapter = SentenceTransformerFolder(_WordModel(), "sentence-transformers/tiny-00000000")
    found = adapter.embed(["one two three four", "one two three four five"])
    assert found.cut == (False, True)
    assert found.vectors.dtype == np.float32
    assert adapter.remarks(2, 1) == (
        "1 text is longer than the 4 tokens that the model reads, and only its beginning counts",
    )
    assert adapter.remarks(2, 0) == ()


@pytest.mark.parametrize("limit", [None, float("inf")])
def test_a_model_without_a_limit_cuts_nothing(limit: float | None) -> None:
    model = _WordModel()
    model.max_seq_length = limit
    assert SentenceTransformerFolder(model, "m").embed(["one two three four five"]).cut == (False,)


if Backend.SENTENCE_TRANSFORMERS.is_installed:  # not part of the locked environment: it needs torch

    @pytest.mark.usefixtures("no_network")
    def test_a_local_sentence_transformers_folder_is_a_metric_with_its_content_in_the_name(tmp_path: Path) -> None:
        first, second = _a_tiny_model(tmp_path / "one" / "tiny", 1), _a_tiny_model(tmp_path / "two" / "tiny", 2)
        shelf = MetricShelf(cache_folder=tmp_path)
        assert shelf.can_compute(f"cosine/sentence-transformers/{first}")
        metric = shelf.find(f"cosine/sentence-transformers/{first}")
        other = shelf.find(f"cosine/sentence-transformers/{second}")
        assert metric.name.startswith("cosine/sentence-transformers/tiny-")
        assert metric.name != other.name
        assert shelf.find(metric.name) is metric
        near, far = metric.distances(["a b c", "c c c"], ["a b b"] * 2)
        assert 0 < near < far <= 2
        metric.distances(["a " * 40], ["a"])
        assert any("longer than the 16 tokens" in said for said in shelf.remarks())

    def _a_tiny_model(folder: Path, seed: int) -> Path:
        """Write a BERT of one small layer with three words, its numbers drawn from the seed."""
        import torch
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers import BertConfig, BertModel, BertTokenizer

        words = folder.parent / "words"
        words.mkdir(parents=True)
        (words / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "b", "c"]))
        torch.manual_seed(seed)
        config = BertConfig(
            vocab_size=8, hidden_size=8, num_hidden_layers=1, num_attention_heads=1, intermediate_size=8
        )
        BertModel(config).save_pretrained(words)
        BertTokenizer(str(words / "vocab.txt")).save_pretrained(words)
        word = Transformer(str(words), max_seq_length=16)
        SentenceTransformer(modules=[word, Pooling(8)], device="cpu").save(str(folder))
        assert json.loads((folder / "modules.json").read_text())
        return folder
