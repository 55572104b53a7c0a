"""The page with a server: nothing lost, nothing doubled, whatever happens."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from playwright.sync_api import BrowserContext, Route, expect

from journey.page.conftest import Watch
from journey.page.double import Double, SurveyServer
from journey.page.participant import mixed
from journey.page.steps import arrive, at_trial, finish, lose_answer, wait_until
from journey.page.study import NORMAL, OFF
from limen.core.blinding import BlindedStudy
from limen.survey import wire

TRIAL_PUT = re.compile(r"/api/sessions/[^/]+/trials/\d+$")


def test_a_whole_run_with_double_clicks_stores_every_row_once_and_moves_nothing(
    desktop: BrowserContext, watch: Watch, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study)
    rater.begin()
    rater.practice()
    places = set()
    for number, answer in enumerate(mixed(study.trial_count), 1):
        rater.sees(f"TRIAL {number} of {study.trial_count}")
        places.add(rater.page.evaluate(PLACES))
        assert rater.page.evaluate("scrollY") == 0
        rater.page.mouse.wheel(0, 200)
        rater.page.wait_for_timeout(330)
        while rater.title() == f"TRIAL {number} of {study.trial_count}":  # until it has settled, nothing is taken
            rater.page.evaluate(DOUBLE_CLICK, answer)
            rater.page.wait_for_timeout(60)
    assert len(places) == 1, places
    rater.strategy(options=(1, 5), other="a hunch")
    rater.demographics()
    rater.sees(study.wording.thanks.title)

    assert survey.answers() == mixed(study.trial_count)
    stored = survey.only()
    assert [str(answer.response) for answer in stored.practice.values()] == [NORMAL, OFF]
    tab = stored.trials[1].tab
    strategy = wire.Strategy(options=(1, 5), other="a hunch", skipped=False, tab=tab)
    assert stored.parts["debrief/strategy"] == strategy
    assert {answer.tab for answer in stored.trials.values()} == {tab}
    assert {name for name in stored.parts if name.startswith("screens/")} == {
        f"screens/{name}" for name in ("consent", "screening", "instructions", "strategy", "demographics")
    }
    assert survey.counts == {"landed": 1, "consented": 1}
    assert not any(answer.queued_offline for answer in stored.trials.values())
    completion = stored.parts["completion"]
    assert isinstance(completion, wire.Completion)
    assert completion.main_task_ms == sum(
        attempt.visible_ms + attempt.hidden_ms for answer in stored.trials.values() for attempt in answer.attempts
    )
    assert watch.trials_fetched() == list(range(1, study.trial_count + 1))
    code = rater.page.locator("#completion").inner_text()
    assert re.fullmatch(r"[A-Z0-9]{8}", code)
    link = rater.page.locator("#withdrawal")
    expect(link).to_have_attribute("href", re.compile(rf"^{re.escape(survey.url)}/withdraw/[\w-]{{22,}}$"))
    rater.page.close()
    again = arrive(desktop, survey, study)
    again.sees(study.wording.thanks.title)
    expect(again.page.locator("#completion")).to_have_text(code)


# In one turn of the browser: from here, each half takes so long on a busy machine that it is a second click.
DOUBLE_CLICK = """(answer) => {
  const button = document.getElementById(answer);
  button.click();
  button.click();
  for (const repeat of [false, true, true]) {
    document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'j', code: 'KeyJ', repeat, bubbles: true}));
  }
}"""
PLACES = """JSON.stringify([...document.querySelectorAll('header, h1, progress, .bar, .answer, .card h2, .pair')]
  .map((element) => element.getBoundingClientRect()).map((box, index) => index === 1 ? [box.left, box.top] :
    [box.left, box.top, box.width, index < 3 || box.height < 100 ? box.height : 0]))"""


def test_reload_back_forward_and_a_restart_at_every_trial_change_nothing(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study, hasty=True)
    rater.begin()
    rater.practice()

    def disturb(number: int) -> None:
        title = f"TRIAL {number} of {study.trial_count}"
        rater.page.wait_for_timeout(50)  # until it is painted: an attempt begins
        rater.page.reload()
        rater.sees(title)
        rater.page.goto("about:blank")
        rater.page.go_back()
        rater.sees(title)
        rater.page.go_back()  # to what was before the survey
        rater.page.go_forward()
        rater.sees(title)
        if number % 4 == 0:
            survey.restart()
        if number % 4 == 2:  # out of the browser's cache of pages, as it was left
            for event in ("pagehide", "pageshow"):
                rater.page.evaluate("(type) => dispatchEvent(new PageTransitionEvent(type, {persisted: true}))", event)
            rater.page.wait_for_timeout(250)  # what stood there still does, until the server was asked
            rater.sees(title)

    rater.trials(mixed(study.trial_count), before=disturb)
    finish(rater)
    assert survey.answers() == mixed(study.trial_count)
    attempts = [len(answer.attempts) for answer in survey.only().trials.values()]
    assert set(attempts) <= {2, 3, 4, 5}  # not yet painted when it was left: no attempt
    assert attempts.count(2) < 12
    assert len(survey.sessions) == 1


def test_ten_minutes_without_a_line_cost_nothing(
    desktop: BrowserContext, watch: Watch, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study, hasty=True)
    rater.consent()
    rater.screen()
    rater.sees(study.wording.instructions.title)
    wait_until(rater.page, lambda: len(watch.trials_fetched()) == study.prefetch)
    desktop.set_offline(True)
    rater.press(study.wording.instructions.button)
    rater.practice()
    rater.trials(mixed(study.prefetch))
    rater.sees("The next texts are on their way")
    expect(rater.page.get_by_role("status")).to_contain_text("no connection")
    for _ in range(20):
        rater.page.clock.fast_forward("00:30")
    assert survey.only().trials == {}
    desktop.set_offline(False)
    while len(survey.only().trials) < study.prefetch:
        rater.page.clock.fast_forward("00:30")
        rater.page.wait_for_timeout(100)
    expect(rater.page.get_by_role("status")).not_to_contain_text("no connection")
    rater.trials(mixed(9)[6:], first=7)
    wait_until(rater.page, lambda: len(survey.only().trials) == 9)
    assert survey.answers() == mixed(9)
    offline = [answer.queued_offline for answer in survey.only().trials.values()]
    assert offline == [True] * 6 + [False] * 3
    before = [answer for number, answer in survey.only().trials.items() if number <= study.prefetch]
    assert all(answer.response_time_ms < 30_000 for answer in before)  # waiting for a line is no reading


def test_answers_given_offline_survive_the_closing_of_the_browser(
    desktop: BrowserContext, watch: Watch, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = at_trial(desktop, survey, study, 18)
    wait_until(rater.page, lambda: 23 in watch.trials_fetched())
    desktop.set_offline(True)
    rater.trials(mixed(23)[17:], first=18)
    rater.strategy()
    rater.demographics()
    rater.sees("Sending your answers")
    assert len(survey.only().trials) == 17
    rater.page.close()
    desktop.set_offline(False)
    again = arrive(desktop, survey, study)
    again.sees(study.wording.thanks.title)
    assert survey.answers() == mixed(23)
    assert {"debrief/strategy", "debrief/demographics"} <= survey.only().parts.keys()


def test_errors_on_the_way_are_tried_again_and_store_each_answer_once(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = at_trial(desktop, survey, study, 17)
    page = rater.page
    faults: list[Callable[[Route], Any]] = [
        lambda route: route.fulfill(status=500, body="broken"),
        lambda route: route.abort("connectionreset"),
        lambda route: route.fulfill(status=200, content_type="text/html", body="<p>Welcome to the hotel"),
        lambda route: route.fulfill(status=200, content_type="application/json", body='{"stage": "tri'),
        lose_answer,
        lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}, body=""),
        strange(404),
        strange(410),
        lambda route: route.fulfill(status=422, content_type="application/problem+json", body='{"type": "x"}'),
    ]

    def trouble(route: Route) -> None:
        if route.request.method == "PUT" and faults:
            faults.pop(0)(route)
        else:
            route.continue_()

    page.route(TRIAL_PUT, trouble)
    while faults:
        if rater.title() != "The next texts are on their way":
            rater.answer(mixed(23)[int(rater.title().split()[1]) - 1])
        page.wait_for_timeout(100)
        page.clock.fast_forward("00:40")
        page.wait_for_timeout(100)
    expect(page.get_by_role("status")).to_contain_text("could not be stored yet")
    assert len(survey.only().trials) < 23
    page.clock.fast_forward("00:40")
    expect(page.get_by_role("status")).to_contain_text("All your answers have been sent")
    page.clock.fast_forward("00:07")
    expect(page.get_by_role("status")).to_be_empty()
    expect(page.locator("h1")).to_have_text(re.compile(r"TRIAL \d+ of 23"))
    first = int(rater.title().split()[1])
    rater.trials(mixed(23)[first - 1 :], first=first)
    finish(rater)
    assert survey.answers() == mixed(23)


def test_a_strangers_404_neither_ends_the_session_nor_costs_an_answer(
    desktop: BrowserContext, watch: Watch, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = at_trial(desktop, survey, study, 3)
    page = rater.page
    wait_until(page, lambda: 8 in watch.trials_fetched())
    for status in (404, 410):
        page.route("**/api/**", strange(status))
        first = len(survey.only().trials) + 1
        rater.trials(mixed(23)[first - 1 : first + 1], first=first)
        expect(page.get_by_role("status")).to_contain_text(f"Error {status}")
        page.reload()
        rater.sees("Connecting")
        page.clock.fast_forward("00:40")
        rater.sees("Connecting")
        page.unroute("**/api/**")
        page.clock.fast_forward("00:40")
        rater.sees(f"TRIAL {first + 2} of 23")
        answered = first + 1
        wait_until(page, partial(lambda count: len(survey.only().trials) == count, answered))
    assert survey.answers() == mixed(6)


def test_a_painting_told_late_leaves_the_main_task_to_the_pages_own_clock(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    rater = arrive(desktop, survey, study, hasty=True)
    rater.begin()
    rater.page.route("**/painted", lambda route: route.fulfill(status=503))
    rater.practice()
    rater.sees("TRIAL 1 of 23")
    expect(rater.page.get_by_role("status")).to_contain_text("no connection")
    rater.page.unroute("**/painted")
    rater.page.clock.fast_forward("00:40")
    expect(rater.page.get_by_role("status")).to_contain_text("have been sent")
    rater.trials(mixed(2))
    wait_until(rater.page, lambda: len(survey.only().trials) == 2)
    assert [answer.queued_offline for answer in survey.only().trials.values()] == [True, False]


def test_an_answer_that_was_cut_off_is_no_acknowledgement(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    """A browser takes a head that broke off for a whole one, with nothing after it."""
    rater = arrive(desktop, survey, study, hasty=True)
    cut_off: list[str] = []

    def once(route: Route) -> None:
        place = route.request.url.rpartition("/api/")[2]
        if route.request.method == "GET" or place in cut_off or "counts" in place:
            route.continue_()
        else:
            cut_off.append(place)
            route.fulfill(status=201, body="")

    rater.page.route("**/api/**", once)
    for step in (rater.consent, rater.screen):
        step()
    wait_until(rater.page, lambda: "sessions" in cut_off)
    rater.page.clock.fast_forward("00:40")
    rater.sees(study.wording.instructions.title)
    rater.press(study.wording.instructions.button)
    rater.practice()
    rater.sees("TRIAL 1 of 23")

    def sent_again() -> bool:  # instructions, two practice answers, the painting
        rater.page.clock.fast_forward("00:40")
        return list(survey.only().practice) == [1, 2] and "painted" in survey.only().parts

    wait_until(rater.page, sent_again)
    assert len(cut_off) >= 4


def test_what_the_server_has_stands(desktop: BrowserContext, server: Double, study: BlindedStudy) -> None:
    rater = at_trial(desktop, server, study, 5)
    stored = server.only()
    stored.trials[5] = replace_response(stored.trials[4], OFF)  # from a lost sending
    rater.answer(NORMAL)
    rater.sees("TRIAL 6 of 23")
    wait_until(rater.page, lambda: ("GET", f"/api/sessions/{stored.token}") in server.log[-8:])
    rater.answer(NORMAL)
    rater.sees("TRIAL 7 of 23")
    wait_until(rater.page, lambda: len(stored.trials) == 6)
    assert server.answers()[4:] == [OFF, NORMAL]
    for number in (4, 5, 6):  # the server comes back from a backup
        del stored.trials[number]
    rater.answer(OFF)
    rater.sees("TRIAL 4 of 23")  # this browser has no answer to it; the later ones it sends again
    rater.answer(OFF)
    rater.sees("TRIAL 8 of 23")
    wait_until(rater.page, lambda: len(stored.trials) == 7)
    assert server.answers()[3:] == [OFF, NORMAL, NORMAL, OFF]


def test_without_storage_the_page_runs_from_memory_and_says_so(
    desktop: BrowserContext, survey: SurveyServer, study: BlindedStudy
) -> None:
    desktop.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new Error('private'); }})")
    rater = arrive(desktop, survey, study)
    expect(rater.page.get_by_role("status")).to_contain_text("leave this page open")
    rater.begin()
    rater.practice()
    rater.trials(mixed(3))
    rater.sees("TRIAL 4 of 23")
    expect(rater.page.get_by_role("status")).to_contain_text("leave this page open")
    wait_until(rater.page, lambda: len(survey.only().trials) == 3)
    with rater.page.expect_event("dialog") as asked:
        rater.page.once("dialog", lambda dialog: dialog.accept())
        rater.page.reload()
    assert asked.value.type == "beforeunload"


def strange(status: int) -> Callable[[Route], None]:
    """Answer as something in between does, such as a proxy."""
    return lambda route: route.fulfill(status=status, content_type="text/html", body="<h1>nginx</h1>")


def replace_response(answer: wire.Answer, response: str) -> wire.Answer:
    fields = {name: getattr(answer, name) for name in answer.__struct_fields__}
    return wire.Answer(**{**fields, "response": response})
