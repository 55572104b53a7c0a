from pathlib import Path

import pytest

from limen.errors import MetricError
from limen.metrics.lexicon_files import parse_lexicon
from limen.metrics.registry import MetricShelf


def test_the_built_in_metrics_are_always_there() -> None:
    static = ("cosine/wordllama/l2_supercat-256", "euclidean/wordllama/l2_supercat-256")
    assert MetricShelf().names() == ("keyword-rms/limen-1", "lexical-char4", *static)
    for name in MetricShelf().names():
        assert MetricShelf().can_compute(name)
        assert MetricShelf().find(name).name == name


@pytest.mark.parametrize("name", ["keyword-rms/s7", "cosine", "recorded", "keyword-rms/../x", ""])
def test_a_metric_that_cannot_be_computed_is_told_with_those_that_can(name: str) -> None:
    assert not MetricShelf().can_compute(name)
    with pytest.raises(MetricError, match=r"choose one of keyword-rms/limen-1, lexical-char4, .*--endpoint\)$"):
        MetricShelf().find(name)


def test_a_study_can_have_its_own_lexicon(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "mine"\nversion = "2"\n[groups]\njoy = ["glad"]\n')
    metric = MetricShelf(tmp_path).find("keyword-rms/mine")
    assert (metric.name, metric.version) == ("keyword-rms/mine", "2")
    assert metric.distances(["glad one"], ["sad one"]) == (50.0,)


def test_a_lexicon_whose_file_has_another_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text('name = "other"\nversion = "1"\n[groups]\njoy = ["glad"]\n')
    with pytest.raises(MetricError, match="calls itself 'other'"):
        MetricShelf(tmp_path).find("keyword-rms/mine")


def test_a_lexicon_that_cannot_be_read_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "h.toml").write_bytes('name = "h"\nversion = "1"\n[groups]\njoy = ["fröh"]\n'.encode("latin-1"))
    with pytest.raises(MetricError, match=r"h\.toml: cannot be read \(.*a lexicon is a text file in UTF-8"):
        MetricShelf(tmp_path).find("keyword-rms/h")
    (tmp_path / "marked.toml").write_text('name = "marked"\nversion = "1"\n[groups]\njoy = ["glad"]\n', "utf-8-sig")
    assert MetricShelf(tmp_path).find("keyword-rms/marked").version == "1"


@pytest.mark.parametrize(
    "text",
    [
        f"version = {'9' * 5000}",
        "",
        "name = 1",
        'name = "a"\nversion = "1"',
        'name = "a"\nversion = "1"\n[groups]\ng = "word"',
        "= =",
    ],
)
def test_a_lexicon_that_is_none_is_told_in_one_line(text: str) -> None:
    with pytest.raises(MetricError) as caught:
        parse_lexicon(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml")
    assert "\n" not in str(caught.value)
