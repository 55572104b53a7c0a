"""How sessions begin, change hands, stop and end, with a server."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from playwright.sync_api import BrowserContext, Route, expect

from journey.page.double import Double, SurveyServer
from journey.page.participant import mixed
from journey.page.real import Real
from journey.page.steps import arrive, at_trial, lose_answer, wait_until
from journey.page.study import NORMAL, OFF, with_feedback
from limen.core.blinding import BlindedStudy
from limen.core.protocol import ResumePolicy
from limen.survey import wire
from studies import SteppedClock


def test_a_second_tab_says_so_and_can_take_over(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    first = at_trial(desktop, survey, study, 10)
    second = arrive(desktop, survey, study)
    second.sees("This survey is open in another tab")
    first.answer(NORMAL)
    first.sees("TRIAL 11 of 23")
    second.press("Go on here")
    second.sees("TRIAL 11 of 23")
    first.sees("This survey is open in another tab")
    first.page.keyboard.press("j")
    second.answer(OFF)
    second.sees("TRIAL 12 of 23")
    first.press("Go on here")
    first.sees("TRIAL 12 of 23")
    second.sees("This survey is open in another tab")
    first.page.close()
    second.page.reload()
    second.sees("TRIAL 12 of 23")
    second.answer(OFF)
    second.sees("TRIAL 13 of 23")
    wait_until(second.page, lambda: len(survey.only().trials) == 12)
    assert survey.answers() == [*mixed(9), NORMAL, OFF, OFF]


def test_a_session_that_another_browser_holds_is_taken_over_only_by_choice(
    desktop: BrowserContext, server: Double, study: BlindedStudy
) -> None:
    rater = at_trial(desktop, server, study, 4)
    server.only().tab = "another"
    rater.answer(NORMAL)
    rater.sees("This survey is open in another tab")
    assert len(server.only().trials) == 3
    rater.press("Go on here")
    rater.sees("TRIAL 5 of 23")
    wait_until(rater.page, lambda: len(server.only().trials) == 4)


def test_stopping(desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy) -> None:
    stop = study.wording.stop
    rater = at_trial(desktop, survey, study, 3)
    rater.press(stop.button)
    dialog = rater.page.get_by_role("dialog")
    expect(dialog).to_contain_text(stop.text)
    expect(rater.page.get_by_role("button", name=stop.back)).to_be_focused()
    rater.page.keyboard.press("f")
    rater.page.keyboard.press("Escape")
    expect(dialog).not_to_be_visible()
    rater.sees("TRIAL 3 of 23")
    expect(rater.page.get_by_role("button", name=stop.button, exact=True)).to_be_focused()
    rater.answer(OFF)
    rater.press(stop.button)
    rater.press(stop.keep)
    expect(rater.page.locator("main")).to_contain_text(stop.kept)
    assert len(survey.only().trials) == 3
    link = rater.page.locator("#withdrawal")
    expect(link).to_have_attribute("href", re.compile(rf"^{re.escape(survey.url)}/withdraw/[\w-]{{22,}}$"))
    rater.page.reload()
    expect(rater.page.locator("main")).to_contain_text(stop.kept)
    link.click()
    rater.page.get_by_role("button", name="Delete my answers").click()
    expect(rater.page.locator("h1")).to_have_text("Your answers were deleted")
    assert survey.sessions == {}


def test_deletion_is_said_only_when_the_server_has_deleted(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    stop = study.wording.stop
    rater = at_trial(desktop, survey, study, 3)
    desktop.set_offline(True)
    rater.answer(OFF)
    rater.press(stop.button)
    rater.press(stop.delete)
    rater.sees("Sending your answers")
    rater.page.close()
    desktop.set_offline(False)
    again = arrive(desktop, survey, study)
    expect(again.page.locator("main")).to_contain_text(stop.deleted)
    assert survey.sessions == {}
    assert "token" not in again.page.evaluate("JSON.stringify(localStorage)")


def test_before_consent_and_for_those_who_do_not_qualify_only_counts_are_kept(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study)
    rater.press(study.wording.consent.decline)
    rater.sees(study.wording.consent.declined_title)
    expect(rater.page.locator("main")).to_contain_text(study.wording.consent.declined)
    rater.page.reload()
    rater.press(study.wording.stop.button)
    rater.press(study.wording.stop.delete)
    expect(rater.page.locator("main")).to_contain_text(study.wording.consent.declined)
    rater.page.reload()
    rater.consent()
    rater.press(study.wording.screening.button)  # nothing is answered yet: the browser asks for it
    rater.sees(study.wording.screening.title)
    rater.screen(adult="no")
    expect(rater.page.locator("main")).to_contain_text(study.wording.screening.screened_out)
    assert survey.counts == {"landed": 1, "declined": 1, "consented": 1, "screened_out": 1}
    assert survey.sessions == {}


def test_who_begins_another_session_is_counted_anew_and_who_comes_back_is_not(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study)
    rater.begin()
    for _ in range(2):
        rater.page.reload()
        rater.sees("PRACTICE TRIAL 1 of 2")
    assert survey.counts == {"landed": 1, "consented": 1}
    rater.press(study.wording.stop.button)
    rater.press(study.wording.stop.delete)
    expect(rater.page.locator("main")).to_contain_text(study.wording.stop.deleted)
    rater.page.reload()
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    assert survey.counts == {"landed": 2, "consented": 2, "withdrawn": 1}
    assert len(survey.sessions) == 1


def test_an_application_whose_answer_was_lost_begins_one_session(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study)
    lost = [True]

    def lose(route: Route) -> None:
        if lost.pop() if lost else False:
            lose_answer(route)
        else:
            route.continue_()

    rater.page.route("**/api/sessions", lose)
    rater.consent()
    rater.screen()
    rater.sees(study.wording.instructions.title)
    assert len(survey.sessions) == 1


def test_coming_back_to_a_session_that_is_over(desktop: BrowserContext, server: Double, study: BlindedStudy) -> None:
    rater = at_trial(desktop, server, study, 2)
    token = server.only().token
    server.gone[token] = "too-old"
    rater.page.reload()
    rater.sees("This session has ended")
    server.gone[token] = "restart"
    rater.page.reload()
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    server.sessions.clear()
    rater.page.reload()
    rater.sees("This session was not found")
    rater.press("Begin anew")
    rater.begin()
    rater.practice()
    wait_until(rater.page, lambda: "painted" in server.only().parts)
    server.gone[server.only().token] = "withdrawn"
    rater.answer(NORMAL)
    expect(rater.page.locator("main")).to_contain_text(study.wording.stop.deleted)


@pytest.mark.parametrize("policy", ResumePolicy)
def test_who_closes_the_page_and_comes_back_meets_the_policy_of_the_study(
    desktop: BrowserContext, survey: Real, study: BlindedStudy, policy: ResumePolicy
) -> None:
    survey.stop()
    survey.protocol = replace(survey.protocol, survey=replace(survey.protocol.survey, on_return=policy))
    survey.start()
    rater = at_trial(desktop, survey, study, 2)
    rater.page.reload()  # keeps the tab, so it is no return
    rater.sees("TRIAL 2 of 23")
    rater.page.close()
    again = arrive(desktop, survey, study)
    if policy is ResumePolicy.RESUME:
        again.sees("TRIAL 2 of 23")
    elif policy is ResumePolicy.RESTART:
        again.begin()
        again.sees("PRACTICE TRIAL 1 of 2")
    else:
        again.sees("This session has ended")
    assert len(survey.sessions) == (2 if policy is ResumePolicy.RESTART else 1)


def test_a_session_that_is_too_old_is_not_taken_up(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    survey.stop()
    clock = SteppedClock()
    survey.clock = clock
    survey.start()
    rater = at_trial(desktop, survey, study, 2)
    clock.time += timedelta(hours=survey.protocol.survey.resume_within_hours - 1)
    rater.page.reload()
    rater.sees("TRIAL 2 of 23")
    clock.time += timedelta(hours=2)
    rater.page.reload()
    rater.sees("This session has ended")


def test_a_consent_text_that_changed_is_read_again(
    desktop: BrowserContext, server: Double, study: BlindedStudy
) -> None:
    rater = arrive(desktop, server, study)
    rater.consent()
    server.study = replace(study, consent_version="another")
    rater.screen()
    rater.begin()
    assert len(server.sessions) == 1


def test_a_pilot_with_feedback_and_a_break(desktop: BrowserContext, server: Double, study: BlindedStudy) -> None:
    said = "Expected answer: NORMAL (coherent continuation, same helpful tone)"
    server.study = replace(with_feedback(study, said), break_after=2, trial_count=3)
    rater = arrive(desktop, server, server.study, "/pilot")
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    rater.answer(NORMAL)
    expect(rater.page.get_by_text(said)).to_be_focused()
    rater.page.keyboard.press("f")  # nothing is asked now
    rater.press(study.wording.trial.break_button)
    rater.sees("PRACTICE TRIAL 2 of 2")
    rater.answer(OFF)
    rater.press(study.wording.trial.break_button)
    rater.trials(mixed(2))
    rater.sees(study.wording.trial.break_title)
    rater.page.reload()
    rater.sees(study.wording.trial.break_title)
    expect(rater.page.locator("main")).to_contain_text(study.wording.trial.break_text)
    rater.press(study.wording.trial.break_button)
    rater.page.reload()
    rater.trials(mixed(3)[2:], first=3)
    rater.press(study.wording.debrief.skip_button)
    rater.sees(study.wording.debrief.demographics.title)
    rater.press(study.wording.debrief.skip_button)
    rater.sees("YOUR COMMENTS")
    rater.page.get_by_role("textbox").fill("The second text was long.")
    rater.page.reload()
    expect(rater.page.get_by_role("textbox")).to_have_value("The second text was long.")
    rater.press(study.wording.debrief.continue_button)
    rater.sees(study.wording.thanks.title)
    stored = server.only()
    assert stored.mode == "pilot"
    tab = stored.trials[1].tab
    assert stored.parts["comment"] == wire.Comment(text="The second text was long.", tab=tab)
    assert stored.parts["debrief/strategy"] == wire.Strategy(options=(), other="", skipped=True, tab=tab)
    assert stored.parts["debrief/demographics"] == wire.Demographics(age=None, use=None, skipped=True, tab=tab)
    assert "screens/break" in stored.parts
