"""What the pages say in passing about metrics on the example log is so."""

from pathlib import Path

import pytest

from limen.core.analysis.ranks import rank_correlation
from limen.core.conversation import Conversation
from limen.core.drift import measure_all
from limen.core.notation import decimal
from limen.demo.example import example_log
from limen.logs.reading import LogFiles
from limen.metrics.registry import MetricShelf

DOCS = Path(__file__).parents[2] / "docs"
KEYWORDS, SPELLING = "keyword-rms/limen-1", "lexical-char4"
MEANING, LENGTHS = "cosine/wordllama/l2_supercat-256", "euclidean/wordllama/l2_supercat-256"


@pytest.fixture(scope="module")
def by_words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[float, int]]]:
    """Give the drift and the words of every reply, by metric."""
    folder = tmp_path_factory.mktemp("figures")
    (folder / "example.jsonl").write_bytes(example_log())
    items = LogFiles(names=[str(folder / "example.jsonl")]).read()
    conversations = [item for item in items if isinstance(item, Conversation)]
    shelf = MetricShelf(cache_folder=folder)
    found = {}
    for name in (KEYWORDS, SPELLING, MEANING, LENGTHS):
        replies = [reply.turn for one in measure_all(conversations, shelf.find(name)) for reply in one.replies]
        found[name] = [(turn.drift, len(turn.text.split())) for turn in replies if turn.drift is not None]
    shelf.close()
    return found


def _with_length(pairs: list[tuple[float, int]]) -> str:
    return decimal(rank_correlation([drift for drift, _ in pairs], [words for _, words in pairs]))


def _page(name: str) -> str:
    return " ".join((DOCS / name).read_text("utf-8").split())


def test_how_drift_goes_with_length(by_words: dict[str, list[tuple[float, int]]]) -> None:
    keywords, spelling, meaning, lengths = (_with_length(pairs) for pairs in by_words.values())
    told = _page("explanation/drift-is-a-number-with-a-metric.md")
    assert f"(rank correlation {keywords}), drift by B and C falls with it ({spelling} and {meaning})" in told
    told = _page("how-to/measure-drift.md")
    assert (
        f"its rank correlation with the number of words is {spelling} (Spearman, {len(by_words[SPELLING])} replies)"
        in told
    )
    assert f"for `{MEANING}` the same correlation is {meaning}, for `{LENGTHS}` {lengths}." in told


def test_how_many_replies_the_protocols_thresholds_pick(by_words: dict[str, list[tuple[float, int]]]) -> None:
    far = {name: sum(drift > 1 for drift, _ in pairs) for name, pairs in by_words.items()}
    near = {name: sum(drift < 0.3 for drift, _ in pairs) for name, pairs in by_words.items()}
    assert (far[SPELLING], near[SPELLING]) == (0, 0)
    told = _page("explanation/drift-is-a-number-with-a-metric.md")
    assert (
        f'Under A, "above 1.00" picks {far[KEYWORDS]} of {len(by_words[KEYWORDS])} replies; under B it picks none'
        in told
    )
    assert f'under C it picks {far[MEANING]}. "Below 0.30" picks {near[KEYWORDS]} under A, none under B' in told
    assert f"and {near[MEANING]} under C." in told
