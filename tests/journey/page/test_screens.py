"""Every screen: the protocol's words, nothing that hinders anybody, both answers alike."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from journey.page.access import WIDTHS, check_access
from journey.page.double import Double
from journey.page.participant import Participant
from journey.page.real import Real
from journey.page.steps import arrive
from journey.page.study import NORMAL, OFF, message, static_boot, static_file, trials_of, with_feedback
from limen.core.blinding import BlindedStudy, BlindedTrial
from limen.core.stimuli import StimulusSet

FEEDBACK = "Expected answer: NORMAL (coherent continuation, same helpful tone)"


def lines(page: Page) -> list[str]:
    """Give what a participant reads on the screen, line by line, without what is not in the protocol."""
    text = page.locator("body").inner_text()
    found = [line.strip() for line in re.split(r"[\n\t]+", text)]
    return [line for line in found if line and not re.fullmatch(r"Keys F / J on|F|J|Save", line)]


def trial_lines(study: BlindedStudy, title: str, texts: BlindedTrial) -> list[str]:
    words = study.wording.trial
    a, b = ([part for part in re.split(r"\n+", text) if part.strip()] for text in (texts.response_a, texts.response_b))
    return [
        *[title, study.wording.stop.button, f"{words.context_label} {texts.context}"],
        *[words.response_a_label, *map(str.strip, a), words.response_b_label, *map(str.strip, b)],
        *[words.question, words.normal, words.off],
    ]


@dataclass
class Reader:
    """A participant who checks each screen: its words against the protocol, and with axe-core."""

    rater: Participant
    axe: str

    def reads(self, *expected: str) -> None:
        stop = self.rater.study.wording.stop.button
        self.rater.sees(expected[1] if expected[0] == stop else expected[0])
        assert lines(self.rater.page) == list(expected)
        check_access(self.rater.page, self.axe)

    def reads_the_beginning(self) -> None:
        words = self.rater.study.wording
        consent, screening, task, stop = words.consent, words.screening, words.instructions, words.stop.button
        self.reads(stop, consent.title, *consent.paragraphs, consent.agree, consent.decline)
        self.rater.consent()
        asked = [text for question in screening.questions for text in (question.text, screening.yes, screening.no)]
        self.reads(stop, screening.title, screening.lead, *asked, screening.button)
        self.rater.screen()
        paragraphs = [line for paragraph in task.paragraphs for line in paragraph.split("\n")]
        your_task = [task.task_label, task.task_normal, task.task_or, task.task_off]
        self.reads(stop, task.title, *paragraphs, *your_task, task.tips_label, *task.tips, task.button)
        self.rater.press(task.button)

    def reads_the_practice(self) -> None:
        study = self.rater.study
        for number, (trial, answer) in enumerate(zip(study.practice, (NORMAL, OFF), strict=True), 1):
            texts = BlindedTrial(
                token="", context=trial.context, response_a=trial.response_a, response_b=trial.response_b
            )
            self.reads(*trial_lines(study, f"PRACTICE TRIAL {number} of 2", texts))
            self.rater.answer(answer)
            expect(self.rater.page.get_by_text(FEEDBACK)).to_be_visible()
            check_access(self.rater.page, self.axe)
            self.rater.press(study.wording.trial.break_button)

    def reads_the_question_whether_to_stop(self) -> None:
        stop = self.rater.study.wording.stop
        self.rater.press(stop.button)
        shown = self.rater.page.get_by_role("dialog").inner_text().split("\n")
        assert [line for line in shown if line] == [stop.title, stop.text, stop.keep, stop.delete, stop.back]
        check_access(self.rater.page, self.axe)
        self.rater.press(stop.back)

    def reads_the_debrief(self) -> None:
        words, stop = self.rater.study.wording.debrief, self.rater.study.wording.stop.button
        d1, d2, buttons = words.strategy, words.demographics, (words.continue_button, words.skip_button)
        self.reads(stop, d1.title, d1.question, d1.hint, *d1.options, d1.other, *buttons)
        self.rater.press(words.skip_button)
        self.reads(stop, d2.title, d2.age_question, *d2.age_options, d2.use_question, *d2.use_options, *buttons)
        self.rater.press(words.skip_button)


def test_every_screen_of_a_served_study_has_its_words_and_no_barrier(
    desktop: BrowserContext, server: Double, study: BlindedStudy, axe: str
) -> None:
    server.study = replace(with_feedback(study, FEEDBACK), trial_count=3, break_after=2)
    words = study.wording
    page = desktop.new_page()
    page.goto(f"{server.url}/pilot")
    rater = Participant(page, server.study)
    reader = Reader(rater, axe)
    assert page.title() == study.public_name
    reader.reads_the_beginning()
    reader.reads_the_practice()
    reader.reads(*trial_lines(study, "TRIAL 1 of 3", server.trials[0]))
    reader.reads_the_question_whether_to_stop()
    with desktop.new_page() as other:
        other.goto(f"{server.url}/pilot")
        expect(other.locator("h1")).to_have_text("This survey is open in another tab")
        check_access(other, axe)
    rater.trials([NORMAL, OFF])
    reader.reads(words.stop.button, words.trial.break_title, words.trial.break_text, words.trial.break_button)
    rater.press(words.trial.break_button)
    rater.trials([OFF], first=3)
    reader.reads_the_debrief()
    rater.sees("YOUR COMMENTS")
    check_access(page, axe)
    desktop.set_offline(True)
    rater.press(words.debrief.continue_button)
    rater.sees("Sending your answers")
    expect(page.get_by_role("status")).to_contain_text("no connection")
    check_access(page, axe)
    desktop.set_offline(False)
    rater.sees(words.thanks.title)
    expect(page.get_by_role("status")).to_contain_text("sent")
    link = f"{server.url}/withdraw/W-{server.only().token[:8]}"
    apart = [words.thanks.completion_label, "LIVE-2026", words.thanks.withdrawal_label, link]
    shown = [line for line in lines(page) if "connection" not in line]
    assert shown == [words.thanks.title, *words.thanks.lines, *apart]
    check_access(page, axe)


def test_the_screens_on_which_it_ends_have_no_barrier(
    desktop: BrowserContext, server: Double, study: BlindedStudy, axe: str
) -> None:
    words = study.wording
    page = desktop.new_page()
    page.goto(server.url)
    rater = Participant(page, study)
    rater.press(words.consent.decline)
    rater.sees(words.consent.declined_title)
    check_access(page, axe)
    page.reload()
    rater.consent()
    rater.screen(english="no")
    rater.sees(words.screening.screened_out_title)
    check_access(page, axe)
    page.reload()
    rater.begin()
    rater.practice()
    token = server.only().token
    server.gone[token] = "too-old"
    page.reload()
    rater.sees("This session has ended")
    check_access(page, axe)
    server.gone.clear()
    server.sessions.clear()
    page.reload()
    rater.sees("This session was not found")
    check_access(page, axe)


@pytest.fixture
def short_file(built: str, stimuli: StimulusSet, study: BlindedStudy, tmp_path: Path) -> Path:
    """survey.html with two trials."""
    file = tmp_path / "survey.html"
    short = replace(study, trial_count=2)
    file.write_text(static_file(built, static_boot(short, [("K7QX", trials_of(stimuli, 1)[:2])])), "utf-8")
    return file


def test_the_screens_that_only_the_page_on_disk_has(
    desktop: BrowserContext, short_file: Path, study: BlindedStudy, axe: str
) -> None:
    page = desktop.new_page()
    page.goto(f"{short_file.as_uri()}#NONE")
    rater = Participant(page, replace(study, trial_count=2))
    rater.sees("WELCOME")
    check_access(page, axe)
    rater.press("I HAVE NO CODE")
    rater.begin()
    rater.practice()
    rater.trials([NORMAL, OFF])
    rater.strategy()
    rater.demographics()
    rater.sees("SAVE YOUR ANSWERS")
    check_access(page, axe)
    page.reload()
    rater.sees("SAVE YOUR ANSWERS")
    rater.press("SAVE THE FILE")
    rater.sees(study.wording.thanks.title)
    assert lines(page)[:4] == [study.wording.thanks.title, *study.wording.thanks.lines]
    check_access(page, axe)
    page.on("dialog", lambda dialog: dialog.accept())
    rater.press("Delete my answers from this browser")
    expect(page.locator("main")).to_contain_text(study.wording.stop.deleted)
    assert "token" not in page.evaluate("JSON.stringify(localStorage)")
    page.reload()
    rater.sees("WELCOME")


def test_the_first_screen_can_be_read_before_the_script_runs(
    browser: Browser, survey: Real, study: BlindedStudy
) -> None:
    consent = study.wording.consent
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(survey.url)
    shown = [consent.title, *consent.paragraphs, consent.agree, consent.decline]
    needs = "This page needs JavaScript. Please turn it on and load the page again."
    assert lines(page) == [*shown, needs]
    expect(page.get_by_role("button", name=consent.agree)).to_be_disabled()
    context.close()


FIRST_SCREEN_SEEN = """new MutationObserver(() => {
  const {body} = document;
  if (body && getComputedStyle(body).display !== 'none' && /BEFORE YOU BEGIN/.test(body.innerText)) window.seen = true;
}).observe(document, {subtree: true, childList: true, attributes: true});"""


def test_who_comes_back_does_not_see_the_first_screen_again(
    desktop: BrowserContext, survey: Real, study: BlindedStudy
) -> None:
    desktop.add_init_script(FIRST_SCREEN_SEEN)
    rater = arrive(desktop, survey, study)
    rater.sees(study.wording.consent.title)
    assert rater.page.evaluate("window.seen")
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    rater.page.reload()
    rater.sees("PRACTICE TRIAL 1 of 2")
    assert not rater.page.evaluate("window.seen")


def test_both_answers_look_alike_at_every_size(desktop: BrowserContext, server: Double, study: BlindedStudy) -> None:
    page = desktop.new_page()
    page.goto(server.url)
    rater = Participant(page, study)
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    for width, height in {**WIDTHS, 2560: 1400, 900: 400}.items():
        page.set_viewport_size({"width": width, "height": height})
        for hovered in (NORMAL, OFF):
            page.locator(f"#{hovered}").hover()
            looks = page.evaluate(
                """() => [...document.querySelectorAll('.answer')].map((button) => {
                  const {width, height, top} = button.getBoundingClientRect();
                  const look = getComputedStyle(button);
                  const size = [width, height, top].map((length) => length.toFixed(1));
                  return JSON.stringify([...size, look.color, look.backgroundColor, look.borderColor,
                    look.fontSize, look.fontWeight, look.boxShadow, look.outlineStyle, look.opacity]);
                })"""
            )
            assert looks[0] == looks[1], width
        left = page.evaluate("[...document.querySelectorAll('.answer')].map((b) => b.getBoundingClientRect().left)")
        assert left[0] < left[1], width
        assert page.evaluate("document.querySelector('.answer').getBoundingClientRect().height >= 56")


NASTY = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> &amp; &lt;b&gt;\n\n"
    "\u202eright to left\u202c mark, zero\u200bwidth\u200djoiners\ufeff, \u0627\u0644\u0639\u0631\u0628\u064a\u0629\n"
    "  a second line, indented\n\n\n" + "w" * 4000 + "\n\n" + "https://example.org/" + "x/" * 900
)


def test_stimuli_show_as_text_and_break_no_layout(desktop: BrowserContext, server: Double, study: BlindedStudy) -> None:
    long = "\n\n".join(" ".join(f"word{k}" for k in range(100)) for _ in range(100))
    first, second, *rest = server.trials
    nasty = replace(first, context=NASTY[:80], response_a=NASTY, response_b=NASTY)
    server.trials = (nasty, replace(second, response_b=long), *rest)
    assert message(nasty).response_b == NASTY
    page = desktop.new_page()
    page.goto(server.url)
    rater = Participant(page, study)
    rater.begin()
    rater.practice()
    rater.sees("TRIAL 1 of 23")
    shown = page.evaluate("[...document.querySelectorAll('#b + .text p')].map((p) => p.textContent).join('|')")
    assert shown == "|".join(re.split(r"\n\n+", NASTY))
    assert page.locator(".text script, .text img, .text b").count() == 0
    for number in (1, 2):
        rater.sees(f"TRIAL {number} of 23")
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
            expect(page.locator(f"#{NORMAL}")).to_be_in_viewport(ratio=1)
            expect(page.locator(f"#{OFF}")).to_be_in_viewport(ratio=1)
        rater.answer(OFF)
    page.wait_for_timeout(50)
    assert [answer.response for answer in server.only().trials.values()] == [OFF, OFF]
    assert server.only().trials[2].b_seen < 0.2
