"""Whole sessions over a line that drops, delays, doubles, reorders, lies and breaks: each ends with its 23 answers."""

import random
import time
from pathlib import Path

from playwright.sync_api import Browser, expect

from faults.proxy import FAULTS, BadLine
from faults.scale import SESSIONS, noted
from journey.page.participant import Participant
from journey.page.real import Real
from journey.page.study import NORMAL, OFF
from limen.core.blinding import BlindedStudy
from limen.core.stimuli import StimulusSet

SHARE = 0.35


class Persistent(Participant):
    """Someone who waits when the page says that it is trying again."""

    def sees(self, title: str) -> None:
        until = time.monotonic() + 60
        shown = self.page.locator("h1")
        while time.monotonic() < until:
            if shown.count() and shown.inner_text() == title:
                return
            self.page.wait_for_timeout(50)
            self.page.clock.fast_forward(100)
        expect(shown).to_have_text(title)


def test_every_session_ends_with_the_answers_that_were_clicked(
    browser: Browser, built: str, stimuli: StimulusSet, study: BlindedStudy, tmp_path: Path
) -> None:
    real = Real(built=built, stimuli=stimuli, file=tmp_path / "answers.sqlite")
    real.start()
    clicked: list[list[str]] = []
    line = BadLine(target=real.port, share=SHARE, seed=20)
    line.start()
    chance = random.Random(21)  # noqa: S311 - answers of a test
    try:
        with noted("whole sessions in a browser over a bad line") as figures:
            for _ in range(SESSIONS):
                answers = [chance.choice((NORMAL, OFF)) for _ in range(study.trial_count)]
                take_part(browser, line.url, study, answers)
                clicked.append(answers)
            stored = real.sessions
            rows = [[str(answer.response) for answer in session.trials.values()] for session in stored.values()]
            assert rows == clicked
            assert all(list(session.trials) == list(range(1, 24)) for session in stored.values())
            assert all("completion" in session.parts for session in stored.values())
            assert line.happened.keys() >= ({*FAULTS} if SESSIONS > 3 else set())
            figures |= {"sessions": len(rows), "rows": sum(map(len, rows)), "faults": dict(line.happened)}
    finally:
        line.stop()
        real.stop()


def take_part(browser: Browser, url: str, study: BlindedStudy, answers: list[str]) -> None:
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    try:
        rater = Persistent(context.new_page(), study, hasty=True)
        rater.page.goto(url)
        rater.begin()
        rater.practice()
        rater.trials(answers)
        rater.strategy()
        rater.demographics()
        rater.sees(study.wording.thanks.title)
    finally:
        context.close()
