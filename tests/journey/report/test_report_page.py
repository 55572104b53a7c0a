"""The report as people open it: on a phone, in the dark, on paper, without script."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from limen.core.findings import Analysis
from limen.core.protocol import LIMENS_LEXICON
from limen.report.rendering import render_report
from simulated_studies import Plan, an_analysis, everything_undetermined

DESK, PHONE = ViewportSize(width=1280, height=900), ViewportSize(width=375, height=812)
TALL_PHONE = ViewportSize(width=390, height=844)
REPORTS: dict[str, Callable[[], Analysis]] = {
    "people": an_analysis,
    "table alone": lambda: an_analysis(Plan(table_only=True, raters=6, seed=5)),
    "five conditions": lambda: an_analysis(Plan(conditions=5, raters=14)),
    "nothing determined": lambda: everything_undetermined(an_analysis()),
    "two notices": lambda: _with_notices(an_analysis()),
}

SCROLLED = """(parts) => [...document.querySelectorAll(parts)]
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .map((part) => part.getAttribute('aria-label') || part.className || part.tagName)"""

CLIPPED = """() => [...document.querySelectorAll('figure svg')].flatMap((drawing) => {
    const frame = drawing.getBoundingClientRect()
    return [...drawing.querySelectorAll('text')]
        .filter((text) => {
            const box = text.getBoundingClientRect()
            return box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 2
        })
        .map((text) => text.textContent)
})"""


def _with_notices(analysis: Analysis) -> Analysis:
    study = replace(analysis.study, mode="simulated", metric="keyword-rms/limen-1", metric_standing=LIMENS_LEXICON)
    return replace(analysis, study=study)


@pytest.fixture(scope="module", params=list(REPORTS))
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(render_report(REPORTS[request.param]()).html, "utf-8")
    return file


def opened(browser: Browser, report: Path, viewport: ViewportSize) -> Page:
    page = browser.new_context(viewport=viewport, offline=True).new_page()
    page.goto(report.as_uri())
    return page


@pytest.mark.parametrize(
    ("viewport", "parts"),
    [(PHONE, "html, figure, .card, .table"), (DESK, "html, figure, .card")],  # on a desk a wide table may, by itself
    ids=["phone", "desk"],
)
def test_nothing_scrolls_sideways_and_no_label_is_cut(
    browser: Browser, report: Path, viewport: ViewportSize, parts: str
) -> None:
    page = opened(browser, report, viewport)
    assert page.evaluate(SCROLLED, parts) == []
    assert page.evaluate(CLIPPED) == []
    page.context.close()


def test_the_first_screen_holds_question_outcome_rates_and_people(browser: Browser, report: Path) -> None:
    page = opened(browser, report, DESK)
    for part in ("h1", ".verdict", ".facts .card >> nth=0", ".facts .card >> nth=1", ".facts .card >> nth=2"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= DESK["height"], part
    page.context.close()


def test_on_a_phone_the_first_screen_holds_outcome_and_rates(browser: Browser, report: Path) -> None:
    page = opened(browser, report, TALL_PHONE)
    for part in ("h1", ".verdict", ".facts .figure >> nth=0", ".facts .figure >> nth=1"):
        box = page.locator(part).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= TALL_PHONE["height"], part
    page.context.close()


def test_it_reads_without_script(browser: Browser, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False, offline=True)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("section h2").count() > 10
    assert page.locator("script").count() == 0
    context.close()


def test_it_prints_in_few_pages(browser: Browser, report: Path) -> None:
    page = opened(browser, report, DESK)
    paper = page.pdf(format="A4")
    assert 8 <= paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") <= 40
    page.context.close()


def test_light_and_dark_have_their_own_ground(browser: Browser, report: Path) -> None:
    page = opened(browser, report, DESK)
    grounds = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        grounds.append(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(245, 244, 240)", "rgb(19, 20, 22)"]
    page.context.close()
