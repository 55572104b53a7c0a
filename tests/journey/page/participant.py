"""Someone who takes the survey in a browser: by mouse, by keyboard or by touch."""

import time
from collections.abc import Callable, Sequence
from typing import Literal

from playwright.sync_api import Page, expect

from journey.page.study import NORMAL, OFF
from limen.core.blinding import BlindedStudy

Way = Literal["mouse", "keys", "touch"]


class Participant:
    """Walks through the screens of a study, each step as a person would take it."""

    def __init__(self, page: Page, study: BlindedStudy, way: Way = "mouse", *, hasty: bool = False) -> None:
        self.page = page
        self.study = study
        self.way = way
        self.hasty = hasty  # by a clock that can be put forward, which spares the waiting
        if hasty:
            page.clock.install()

    def press(self, words: str) -> None:
        """Press a button by what it says."""
        found = self.page.get_by_role("button", name=words, exact=True)
        if self.way == "touch":
            found.tap()
        elif self.way == "keys":
            self.tab_to(words)
            self.page.keyboard.press("Enter")
        else:
            found.click()

    def tab_to(self, words: str) -> None:
        """Move the focus forward until it is on something that says this."""
        seen: list[str] = []
        for _ in range(40):
            self.page.keyboard.press("Tab")
            said: str = self.page.evaluate(
                "(document.activeElement.closest('label') || document.activeElement).innerText"
            ).strip()
            if said.partition("\n")[0] == words:
                return
            seen.append(said)
        raise AssertionError(f"no way by Tab to {words!r}; on the way: {seen}")

    def title(self) -> str:
        return self.page.locator("h1").inner_text()

    def sees(self, title: str) -> None:
        expect(self.page.locator("h1")).to_have_text(title)

    def consent(self) -> None:
        self.sees(self.study.wording.consent.title)
        self.press(self.study.wording.consent.agree)

    def screen(self, **answers: str) -> None:
        """Answer the screening questions, as those who qualify unless told otherwise."""
        words = self.study.wording.screening
        self.sees(words.title)
        qualifying = {"english": "yes", "ai_use": "yes", "exposure": "no", "adult": "yes"}
        for question in words.questions:
            answer = answers.get(question.id, qualifying[question.id])
            radio = self.page.locator(f"input[name={question.id}][value={answer}]")
            if self.way == "keys":
                self.page.keyboard.press("Tab")
                while not self.page.evaluate(f"document.activeElement.name === {question.id!r}"):
                    self.page.keyboard.press("Tab")
                self.page.keyboard.press("Space" if answer == "yes" else "ArrowRight")
                expect(radio).to_be_checked()
            else:
                radio.check()
        self.press(words.button)

    def begin(self) -> None:
        """Come from the first screen to the first practice trial."""
        self.consent()
        self.screen()
        self.sees(self.study.wording.instructions.title)
        self.press(self.study.wording.instructions.button)

    def practice(self, answers: Sequence[str] = (NORMAL, OFF)) -> None:
        total = len(self.study.practice)
        for number, answer in enumerate(answers, 1):
            self.sees(f"PRACTICE TRIAL {number} of {total}")
            self.answer(answer)

    def trials(
        self, answers: Sequence[str], first: int = 1, before: Callable[[int], None] = lambda _number: None
    ) -> None:
        """Answer trials from one number on; `before` is called when a trial has come."""
        for number, answer in enumerate(answers, first):
            self.sees(f"TRIAL {number} of {self.study.trial_count}")
            before(number)
            self.answer(answer)

    def answer(self, answer: str) -> None:
        """Give one answer; what comes before the page has settled is not taken, so it is given again."""
        before = self.title()
        deadline = time.monotonic() + 10
        self.settle()
        while self.asks(before):
            assert time.monotonic() < deadline, f"the answer to {before} is not taken"
            self.give(answer)
            if not self.asks(before):
                return
            self.page.wait_for_timeout(60)
            if self.hasty:
                self.page.clock.fast_forward(330)

    def asks(self, title: str) -> bool:
        """Tell whether this trial still waits for its answer."""
        return self.title() == title and self.page.locator(".answer").count() > 0

    def settle(self) -> None:
        """Wait until what is on the screen can have been read at all."""
        if self.hasty:
            self.page.wait_for_timeout(40)
            self.page.clock.fast_forward(330)
        else:
            self.page.wait_for_timeout(350)

    def give(self, answer: str) -> None:
        """Press once, whatever comes of it."""
        if self.way == "keys":
            self.page.keyboard.press("f" if answer == NORMAL else "j")
        elif self.way == "touch":
            self.page.locator(f"#{answer}").tap()
        else:
            self.page.locator(f"#{answer}").click()

    def strategy(self, options: Sequence[int] = (0, 3), other: str = "") -> None:
        words = self.study.wording.debrief
        self.sees(words.strategy.title)
        for option in options:
            if self.way == "keys":
                self.tab_to(words.strategy.options[option])
                self.page.keyboard.press("Space")
            else:
                self.page.get_by_label(words.strategy.options[option]).check()
        if other:
            self.page.get_by_label(words.strategy.other).fill(other)
        self.press(words.continue_button)

    def demographics(self, age: int = 2, use: int = 0) -> None:
        words = self.study.wording.debrief
        self.sees(words.demographics.title)
        if self.way == "keys":
            self.tab_to(words.demographics.age_options[0])
            for _ in range(age):
                self.page.keyboard.press("ArrowDown")
            self.page.keyboard.press("Tab")
            self.page.keyboard.press("Space")
        else:
            self.page.locator(f"input[name=age][value='{age}']").check()
            self.page.locator(f"input[name=use][value='{use}']").check()
        self.press(words.continue_button)


def mixed(count: int) -> list[str]:
    """Answers that alternate unevenly, so that a shift by one would show."""
    return [OFF if number % 3 == 0 or number % 7 == 0 else NORMAL for number in range(1, count + 1)]
