"""Nothing hinders anybody on the screens that come when something else happens, nor on the way of the focus."""

import pytest
from playwright.sync_api import BrowserContext, expect

from journey.page.access import WIDTHS, check_access, focus_path
from journey.page.double import Double
from journey.page.participant import Participant
from journey.page.real import RESEARCHER, Real
from journey.page.steps import arrive, at_trial
from limen.core.blinding import BlindedStudy


def test_the_screens_of_waiting_have_no_barrier(
    desktop: BrowserContext, server: Double, study: BlindedStudy, axe: str
) -> None:
    rater = at_trial(desktop, server, study, 1, hasty=False)
    for lost, title in (("**/trials/*", "The next texts are on their way"), ("**/api/**", "Connecting")):
        desktop.route(lost, lambda route: route.abort())
        rater.page.reload()
        rater.sees(title)
        check_access(rater.page, axe)


def test_the_screens_of_stopping_have_no_barrier(
    desktop: BrowserContext, server: Double, study: BlindedStudy, axe: str
) -> None:
    stop = study.wording.stop
    for choice, said in ((stop.delete, stop.deleted), (stop.keep, stop.kept)):
        rater = arrive(desktop, server, study)
        rater.begin()
        rater.press(stop.button)
        rater.press(choice)
        expect(rater.page.locator("main")).to_contain_text(said)
        check_access(rater.page, axe)
        rater.page.close()


def test_the_pages_beside_the_survey_have_no_barrier(
    desktop: BrowserContext, survey: Real, study: BlindedStudy, axe: str
) -> None:
    rater = at_trial(desktop, survey, study, 3, hasty=False)
    page, other = rater.page, desktop.new_page()
    other.goto(f"{survey.url}/status/{RESEARCHER}")
    expect(other.locator("main")).to_contain_text("2 of 23")
    check_access(other, axe)
    rater.press(study.wording.stop.button)
    rater.press(study.wording.stop.keep)
    page.locator("#withdrawal").click()
    expect(page.locator("h1")).to_have_text("Delete your answers?")
    check_access(page, axe)
    page.get_by_role("button").click()
    expect(page.locator("h1")).to_have_text("Your answers were deleted")
    check_access(page, axe)
    page.goto(f"{survey.url}/withdraw/none")
    expect(page.locator("h1")).to_have_text("This link does not fit")
    check_access(page, axe)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_focus_goes_through_a_screen_from_its_top_to_its_bottom(
    desktop: BrowserContext, server: Double, study: BlindedStudy, width: int
) -> None:
    words = study.wording
    page = desktop.new_page()
    page.set_viewport_size({"width": width, "height": WIDTHS[width]})
    page.goto(server.url)
    rater = Participant(page, study)
    rater.sees(words.consent.title)
    assert focus_path(page, 3) == [words.stop.button, words.consent.agree, words.consent.decline]
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    expect(page.locator("h1")).to_be_focused()
    assert focus_path(page, 4) == ["Keys F / J on", words.stop.button, words.trial.normal, words.trial.off]
    rater.press(words.stop.button)
    back = page.get_by_role("button", name=words.stop.back)
    expect(back).to_be_focused()
    for _ in range(2):
        page.keyboard.press("Shift+Tab")
    assert focus_path(page, 2) == [words.stop.delete, words.stop.back]
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name=words.stop.button, exact=True)).to_be_focused()
