"""Simulated raters with the real page in a real browser; the page cannot tell them from people.

Time is Playwright's: its clock stands in for the page's own, begins when the rater begins, and is put forward by as
long as the rater reads. What the page measures is what the rater claims, and the moment that the machine takes.
"""

import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from limen.core.blinding import BlindedStudy, ShownTexts
from limen.core.sessions import Screen
from limen.core.simulated_rater import SimulatedAnswer, SimulatedRater
from limen.errors import DataError, NotReadyError
from limen.raters.crowd import know
from limen.raters.line import Server
from limen.raters.participant import NO_ENTRY, Knowledge
from limen.workflow.served import ServedStudy

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE_S = 20.0
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-sync")


def simulate_in_browser(
    study: ServedStudy, server: Server, raters: Sequence[SimulatedRater], *, finished: Callable[[], None]
) -> None:
    """Let raters take the survey in Chromium, one after the other, each in a browser profile of its own."""
    knowledge = _as_rendered(know(study))
    with _chromium() as browser:
        for rater in raters:
            context = browser.new_context(
                viewport={"width": 1280, "height": 800},
                extra_http_headers={"Authorization": f"Bearer {server.secret}"},
            )
            try:
                page = context.new_page()
                page.set_default_timeout(PATIENCE_S * 1000)
                _Visitor(page=page, rater=rater, knowledge=knowledge, server=server).take_part()
            finally:
                context.close()
            finished()


def find_browser(environment: Mapping[str, str] = os.environ) -> str:
    """Give the Chromium that scripts/setup would find too; raise NotReadyError when there is none."""
    for candidate in (environment.get("LIMEN_CHROMIUM", ""), *_NAMES, *_PLACES):
        found = shutil.which(candidate) if candidate else None
        if found or (candidate and Path(candidate).is_file()):
            return found or candidate
    raise NotReadyError("--browser needs Chromium, which was not found; install it, or set LIMEN_CHROMIUM to its place")


@contextmanager
def _chromium() -> Iterator["Browser"]:
    try:
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415 - an extra that may be absent
    except ImportError as problem:
        raise NotReadyError(
            "--browser needs Playwright, which is not installed; `pip install 'limen[browser]'` adds it"
        ) from problem
    place = find_browser()
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=place, args=list(_FLAGS))
        except Error as problem:
            raise NotReadyError(f"{place}: does not start as a browser ({_first_line(problem)})") from problem
        try:
            yield browser
        except Error as problem:
            raise DataError(
                f"the page did not do what a simulated rater expected ({_first_line(problem)})"
            ) from problem
        finally:
            browser.close()


@dataclass(slots=True)
class _Visitor:
    """One rater before one page: reads what stands there, waits as long as reading takes, and clicks."""

    page: "Page"
    rater: SimulatedRater
    knowledge: Knowledge
    server: Server
    under_way: int = 0

    @property
    def study(self) -> BlindedStudy:
        return self.knowledge.study

    def take_part(self) -> None:
        """Go from the first screen to the last."""
        self._open()
        words = self.study.wording
        self._read(words.consent.title, Screen.CONSENT)
        self._press(words.consent.agree)
        self._sees(words.screening.title)
        for question, answer in self.knowledge.qualifying.items():
            self.page.locator(f'input[name="{question}"][value="{answer}"]').check()
        self._pass(self.rater.screens[Screen.SCREENING])
        self._press(words.screening.button)
        self._read(words.instructions.title, Screen.INSTRUCTIONS)
        self._press(words.instructions.button)
        self._practice()
        self._trials()
        self._debrief()
        self._sees(words.thanks.title)

    def _open(self) -> None:
        self.page.on("request", lambda _request: self._went(1))
        self.page.on("requestfinished", lambda _request: self._went(-1))
        self.page.on("requestfailed", lambda _request: self._went(-1))
        self.page.clock.install(time=self.rater.begins)
        answer = self.page.goto(f"{self.server.url}/simulated")
        if answer is None or not answer.ok:
            raise DataError(f"{self.server.url}: {NO_ENTRY}")

    def _practice(self) -> None:
        words = self.study.wording.trial
        total = len(self.study.practice)
        for number, (trial, answer) in enumerate(zip(self.study.practice, self.rater.practice, strict=True), 1):
            self._sees(words.practice_title.format(n=number, total=total))
            self._answer(answer)
            if trial.feedback is not None:
                self._press(words.break_button)

    def _trials(self) -> None:
        words, total = self.study.wording.trial, self.study.trial_count
        for number in range(1, total + 1):
            if 0 < self.study.break_after == number - 1:
                self._read(words.break_title, Screen.BREAK)
                self._press(words.break_button)
            self._sees(words.title.format(n=number, total=total))
            self._answer(self.rater.answers[self.knowledge.stimulus(self._texts())])

    def _debrief(self) -> None:
        words, strategy, about = self.study.wording.debrief, self.rater.strategy, self.rater.demographics
        self._sees(words.strategy.title)
        for option in strategy.options:
            self.page.locator(f'input[name="option{option}"]').check()
        self._pass(self.rater.screens[Screen.STRATEGY])
        self._press(words.skip_button if strategy.skipped else words.continue_button)
        self._sees(words.demographics.title)
        for name, chosen in (("age", about.age), ("use", about.use)):
            if chosen is not None:
                self.page.locator(f'input[name="{name}"][value="{chosen}"]').check()
        self._pass(self.rater.screens[Screen.DEMOGRAPHICS])
        self._press(words.skip_button if about.skipped else words.continue_button)

    def _answer(self, answer: SimulatedAnswer) -> None:
        """Read for as long as it takes, then click; a click that came too soon after the paint is made again."""
        before = self._title()
        button = self.page.locator(f"#{answer.response}")
        self._pass(answer.response_time_ms)
        until = time.monotonic() + PATIENCE_S
        while self._title() == before and button.is_visible():
            if time.monotonic() > until:
                raise DataError(f"the page does not take an answer to {before}")
            button.click()
            self.page.wait_for_timeout(20)
            if self._title() == before and button.is_visible():
                self.page.clock.fast_forward(50)

    def _texts(self) -> ShownTexts:
        """Read what stands on the screen."""
        context, *responses = self.page.evaluate(
            """() => [
              document.querySelector(".context [dir]").textContent,
              ...["a", "b"].map((id) =>
                [...document.querySelectorAll(`section[aria-labelledby="${id}"] p`)]
                  .map((p) => p.textContent).join(" ")),
            ]"""
        )
        return _rendered(ShownTexts(context=context, response_a=responses[0], response_b=responses[1]))

    def _read(self, title: str, screen: Screen) -> None:
        self._sees(title)
        self._pass(self.rater.screens[screen])

    def _press(self, words: str) -> None:
        self.page.get_by_role("button", name=words, exact=True).click()

    def _title(self) -> str:
        return self.page.locator("h1").inner_text()

    def _sees(self, title: str) -> None:
        self.page.locator("h1").get_by_text(title, exact=True).wait_for()

    def _pass(self, ms: int) -> None:
        """Let time pass for the page, once nothing is under way: a request would seem to have taken that long."""
        until = time.monotonic() + PATIENCE_S
        self.page.wait_for_timeout(20)
        while self.under_way > 0 and time.monotonic() < until:
            self.page.wait_for_timeout(5)
        self.page.clock.fast_forward(ms)

    def _went(self, change: int) -> None:
        self.under_way += change


def _as_rendered(knowledge: Knowledge) -> Knowledge:
    """Know texts by how a page shows them, where blank lines and line breaks are but spaces."""
    shown = {_rendered(texts): stimulus_id for texts, stimulus_id in knowledge.stimulus_by_texts.items()}
    return replace(knowledge, stimulus_by_texts=shown)


def _rendered(texts: ShownTexts) -> ShownTexts:
    return ShownTexts(
        context=" ".join(texts.context.split()),
        response_a=" ".join(texts.response_a.split()),
        response_b=" ".join(texts.response_b.split()),
    )


def _first_line(problem: Exception) -> str:
    return str(problem).strip().partition("\n")[0]
