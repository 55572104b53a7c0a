"""What can happen to a page happens at every one of the trials, and every answer is stored once."""

from datetime import UTC, datetime, timedelta

from playwright.sync_api import BrowserContext, expect

from journey.page.participant import Participant, mixed
from journey.page.real import Real
from journey.page.steps import arrive, finish, wait_until
from journey.page.study import OFF
from limen.core.blinding import BlindedStudy

ELSEWHERE = "This survey is open in another tab"


def at_the_first_trial(context: BrowserContext, survey: Real, study: BlindedStudy) -> Participant:
    rater = arrive(context, survey, study, hasty=True)
    rater.begin()
    rater.practice()
    return rater


def all_there_once(survey: Real, study: BlindedStudy) -> None:
    assert len(survey.sessions) == 1
    assert survey.answers() == mixed(study.trial_count)
    assert len(survey.only().trials) == study.trial_count


def test_closed_and_opened_again_at_every_trial(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    rater = at_the_first_trial(desktop, survey, study)
    texts = []
    for number, answer in enumerate(mixed(study.trial_count), 1):
        rater.sees(f"TRIAL {number} of {study.trial_count}")
        shown = rater.page.locator("#b + .text").inner_text()
        rater.page.close()
        rater = arrive(desktop, survey, study, hasty=True)
        rater.trials([answer], first=number)
        texts.append(shown)
    finish(rater)
    all_there_once(survey, study)
    assert len(set(texts)) == study.trial_count


def test_a_second_tab_takes_over_at_every_trial(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    rater = at_the_first_trial(desktop, survey, study)
    for number, answer in enumerate(mixed(study.trial_count), 1):
        rater.sees(f"TRIAL {number} of {study.trial_count}")
        other = arrive(desktop, survey, study, hasty=True)
        other.sees(ELSEWHERE)
        rater.sees(f"TRIAL {number} of {study.trial_count}")  # nobody is interrupted
        other.press("Go on here")
        other.sees(f"TRIAL {number} of {study.trial_count}")
        rater.sees(ELSEWHERE)
        rater.page.keyboard.press("j")
        other.answer(answer)
        rater.page.close()
        rater = other
    finish(rater)
    all_there_once(survey, study)


def test_a_key_that_is_held_down_answers_one_trial(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    rater = at_the_first_trial(desktop, survey, study)
    keys = rater.page.keyboard
    for number, answer in enumerate(mixed(study.trial_count), 1):
        title = f"TRIAL {number} of {study.trial_count}"
        rater.sees(title)
        while rater.asks(title):
            keys.up("j" if answer == OFF else "f")
            rater.settle()
            keys.down("j" if answer == OFF else "f")
        if number < study.trial_count:
            for _ in range(3):  # the key is still down, and the next trial has settled
                rater.settle()
                keys.down("j" if answer == OFF else "f")
            rater.sees(f"TRIAL {number + 1} of {study.trial_count}")
        keys.up("j" if answer == OFF else "f")
    finish(rater)
    all_there_once(survey, study)


def test_the_clock_is_set_at_every_trial(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    rater = at_the_first_trial(desktop, survey, study)

    def set_clock(number: int) -> None:
        days = -400 if number % 2 else 400
        rater.page.clock.set_system_time(datetime.now(UTC) + timedelta(days=days, minutes=number))

    rater.trials(mixed(study.trial_count), before=set_clock)
    finish(rater)
    all_there_once(survey, study)
    trials = survey.only().trials.values()
    assert all(answer.response_time_ms < 60_000 for answer in trials)
    assert all(attempt.hidden_ms < 60_000 for answer in trials for attempt in answer.attempts)
    assert len({answer.client_time[:4] for answer in trials}) > 1  # what the page's clock said is kept as it was


def test_ten_minutes_without_a_line_at_every_trial(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    rater = at_the_first_trial(desktop, survey, study)
    for number, answer in enumerate(mixed(study.trial_count), 1):
        rater.sees(f"TRIAL {number} of {study.trial_count}")
        desktop.set_offline(True)
        rater.answer(answer)
        rater.page.clock.fast_forward("10:00")
        expect(rater.page.get_by_role("status")).to_contain_text("no connection")
        assert len(survey.only().trials) == number - 1
        desktop.set_offline(False)
        wait_until(rater.page, lambda number=number: len(survey.only().trials) == number)  # type: ignore[misc]
    finish(rater)
    all_there_once(survey, study)
    assert all(answer.queued_offline for answer in survey.only().trials.values())


def test_the_server_is_away_at_every_trial(desktop: BrowserContext, survey: Real, study: BlindedStudy) -> None:
    rater = at_the_first_trial(desktop, survey, study)
    for number, answer in enumerate(mixed(study.trial_count), 1):
        rater.sees(f"TRIAL {number} of {study.trial_count}")
        survey.stop()
        rater.answer(answer)
        expect(rater.page.get_by_role("status")).to_contain_text("no connection")
        survey.start()
        while len(survey.only().trials) < number:
            rater.page.clock.fast_forward("00:40")
            rater.page.wait_for_timeout(50)
    finish(rater)
    all_there_once(survey, study)
