"""The report as files: the same bytes every time, self-contained, escaped, and accessible."""

import hashlib
import itertools
import os
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from limen.core.description import DebriefSummary
from limen.report.markdown import escape
from limen.report.rendering import Report, render_report
from simulated_studies import an_analysis, everything_undetermined, undrawn

VOID = {"meta", "br", "rect", "use", "path"}


@cache
def _rendered() -> Report:
    return render_report(an_analysis())


def test_the_same_analysis_gives_the_same_bytes() -> None:
    assert render_report(an_analysis()) == _rendered()


def test_another_process_gives_the_same_bytes() -> None:
    script = (
        "import hashlib; from simulated_studies import an_analysis; from limen.report.rendering import render_report;"
        "r = render_report(an_analysis());"
        "print(hashlib.sha256(repr((r.html, r.markdown, sorted(r.figures.items()))).encode()).hexdigest())"
    )
    report = _rendered()
    here = hashlib.sha256(repr((report.html, report.markdown, sorted(report.figures.items()))).encode()).hexdigest()
    assert _digest_in_a_process(script, "1").strip() == here


def _digest_in_a_process(script: str, hash_seed: str) -> str:
    paths = os.pathsep.join([str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "src")])
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": paths}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout


def test_the_page_asks_for_nothing_and_runs_nothing() -> None:
    page = _rendered().html
    assert not re.search(r"https?:|<script|javascript:|\son\w+=|@import|<link|<iframe|<img|src=", page)
    assert set(re.findall(r"url\(([^)]*)\)", page)) <= {f"#{name}" for name in re.findall(r' id="([^"]+)"', page)}


def test_the_markdown_shows_the_drawings_among_the_files() -> None:
    files = _rendered().files()
    shown = re.findall(r"\]\((figures/[\w-]+\.svg)\)", _rendered().markdown)
    assert set(files) == {"report.html", "analysis_report.md", *shown}
    assert len(shown) == 8


def test_a_drawing_of_its_own_asks_for_nothing() -> None:
    for path, svg in _rendered().figures.items():
        assert path.startswith("figures/")
        assert svg.count("http") == 1, "its name space alone"
        assert not re.search(r"<script|<image|<metadata|<!--", svg)


class _Outline(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag


def _outline(page: str) -> _Outline:
    outline = _Outline()
    outline.feed(page)
    assert outline.open == []
    return outline


def test_the_page_is_well_formed_with_landmarks_headings_and_table_heads() -> None:
    outline = _outline(_rendered().html)
    tags = [tag for tag, _ in outline.seen]
    assert [tags.count(tag) for tag in ("html", "header", "main", "nav", "h1")] == [1, 1, 1, 1, 1]
    ids = [attributes["id"] for _, attributes in outline.seen if "id" in attributes]
    assert len(set(ids)) == len(ids)
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h[1-6]", tag)]
    assert all(later <= earlier + 1 for earlier, later in itertools.pairwise(levels))
    assert all(attributes.get("scope") in ("col", "row") for tag, attributes in outline.seen if tag == "th")
    assert tags.count("caption") == tags.count("table") > 20


def test_every_figure_of_the_page_has_its_text() -> None:
    outline = _outline(_rendered().html)
    drawings = [attributes for tag, attributes in outline.seen if tag == "svg"]
    assert len(drawings) == [tag for tag, _ in outline.seen].count("figure") == 8
    assert all(one["role"] == "img" and len(one["aria-label"] or "") > 80 for one in drawings)


def test_everything_undetermined_can_be_drawn() -> None:
    report = render_report(everything_undetermined(an_analysis()))
    _outline(report.html)
    assert "This figure is left out: there is too little to tell." in report.html.replace("\N{NO-BREAK SPACE}", " ")


NASTY = "<script>alert(1)</script> [x](http://bad.example/) | *b* `c` $x$ <img src=x> www.bad.example a@b.example"


def test_words_of_participants_are_never_markup() -> None:
    analysis = an_analysis()
    assert isinstance(analysis.debrief, DebriefSummary)
    report = undrawn(replace(analysis, debrief=replace(analysis.debrief, other=(NASTY,))))
    assert "<script" not in report.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in report.html
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(report.markdown)
    assert not re.search(r"<script|<img src=x|<em>b|<code>c|bad\.example/?[\"']", rendered)
    assert "alert(1)" in rendered


def test_ids_that_look_like_markup_or_formulas_are_drawn_as_they_are() -> None:
    analysis = an_analysis()
    pairs = (replace(analysis.pairs[0], pair_id="$1/0$<b>&"), *analysis.pairs[1:])
    report = render_report(replace(analysis, pairs=pairs))
    assert "$1/0$&lt;b&gt;&amp;</text>" in report.html
    assert "<b>" not in report.html
    _outline(report.html)


@pytest.mark.parametrize(
    "text",
    [
        "1. not a list",
        "- no list",
        "+0.2 points",
        "---",
        "+ no list",
        "7.1 Detection",
        "# no head",
        "a_b_c",
        "a | b",
        "<b>",
        "~~x~~",
        "line\nbreak",
        "&lt;",
    ],
)
def test_escaped_text_renders_as_itself(text: str) -> None:
    rendered = MarkdownIt("gfm-like", {"linkify": False}).render(escape(text))
    words = re.sub(r"</?p>|\n", "", rendered)
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        words = words.replace(entity, letter)
    assert words == text.replace("\n", " ")


def test_every_table_of_the_markdown_has_as_many_cells_as_its_head() -> None:
    for block in re.findall(r"(?:^\|.*\n)+", undrawn(an_analysis()).markdown, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_many_raters_make_no_heavy_page() -> None:
    analysis = an_analysis()
    raters = tuple(replace(row, participant=f"P{n:05d}") for n, row in enumerate(analysis.raters * 100))
    report = render_report(replace(analysis, raters=raters))
    assert len(report.html) < 400_000
    assert "P00999" not in report.html
