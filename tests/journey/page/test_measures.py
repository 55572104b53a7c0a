"""What is recorded with an answer, against what really happened in the browser."""

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page

from journey.page.double import Double
from journey.page.participant import Participant
from journey.page.steps import wait_until
from journey.page.study import NORMAL, OFF
from limen.core.blinding import BlindedStudy
from limen.survey import wire

OPEN_TRIAL = """Object.values(localStorage).filter((text) => text.startsWith('{')).map(JSON.parse)
  .find((value) => value.token)?.open?.path"""

COPY = """(found) => {
  getSelection().selectAllChildren(document.querySelector(found));
  document.execCommand('copy');
}"""

SET_VISIBLE = """(state) => {
  Object.defineProperty(document, 'visibilityState', {value: state, configurable: true});
  document.dispatchEvent(new Event('visibilitychange'));
}"""


def at_trial_1(context: BrowserContext, server: Double, study: BlindedStudy) -> Participant:
    page = context.new_page()
    page.goto(server.url)
    rater = Participant(page, study)
    rater.begin()
    rater.practice()
    rater.sees("TRIAL 1 of 23")
    return rater


def stored(page: Page, server: Double, number: int) -> wire.Answer:
    wait_until(page, lambda: number in server.only().trials)
    return server.only().trials[number]


def press_until_taken(rater: Participant, key: str) -> None:
    """Press a key; on a busy machine a trial settles late, and what comes before that is not taken."""
    before = rater.title()
    for _ in range(20):
        rater.settle()
        rater.page.keyboard.press(key)
        if rater.title() != before:
            return
    raise AssertionError(f"{key} is not taken at {before}")


def now(page: Page) -> float:
    return float(page.evaluate("performance.now()"))


def between(page: Page, act: Callable[[], object]) -> tuple[float, float]:
    """Do something in the browser; give a moment before and one after it, however long it took on a busy machine."""
    before = now(page)
    act()
    return before, now(page)


def until_painted(page: Page, path: str) -> float:
    """Wait until a trial's time has begun; give a moment after that."""
    wait_until(page, lambda: page.evaluate(OPEN_TRIAL) == path)
    return now(page)


def test_response_time_runs_on_the_monotonic_clock_over_visible_time_only(
    desktop: BrowserContext, server: Double, study: BlindedStudy
) -> None:
    rater = at_trial_1(desktop, server, study)
    page = rater.page
    painted = until_painted(page, "trials/1")
    clicked = page.evaluate(
        """() => new Promise((resolve) => {
          const button = document.getElementById('NORMAL');
          button.addEventListener('click', (event) => resolve(event.timeStamp), {capture: true});
          setTimeout(() => { Date.now = () => 0; }, 100);
          setTimeout(() => button.click(), 700);
        })"""
    )
    answer = stored(page, server, 1)
    assert clicked - painted - 2 <= answer.response_time_ms < 30_000  # by the wall clock it would be decades

    painted = until_painted(page, "trials/2")
    page.wait_for_timeout(500)
    hid = between(page, lambda: page.evaluate(SET_VISIBLE, "hidden"))
    page.wait_for_timeout(600)
    showed = between(page, lambda: page.evaluate(SET_VISIBLE, "visible"))
    asked = between(page, lambda: rater.press(study.wording.stop.button))
    page.wait_for_timeout(400)
    back = between(page, lambda: rater.press(study.wording.stop.back))
    gave = between(page, lambda: rater.give(OFF))
    answer = stored(page, server, 2)
    (attempt,) = answer.attempts
    away = (showed[0] - hid[1], showed[1] - hid[0])
    assert away[0] + back[0] - asked[1] - 2 <= attempt.hidden_ms <= away[1] + back[1] - asked[0] + 2
    least = hid[0] - painted + asked[0] - showed[1] + gave[0] - back[1]
    most = hid[1] - clicked + asked[1] - showed[0] + gave[1] - back[0]
    assert least - 2 <= attempt.visible_ms <= most + 2
    assert answer.response_time_ms == attempt.visible_ms
    assert answer.focus_losses == 1
    assert away[0] - 2 <= answer.focus_lost_ms <= away[1] + 2

    painted = until_painted(page, "trials/3")
    page.wait_for_timeout(400)
    hid = between(page, lambda: page.evaluate(SET_VISIBLE, "hidden"))
    page.reload()
    rater.sees("TRIAL 3 of 23")
    rater.answer(OFF)
    first, second = stored(page, server, 3).attempts
    assert hid[0] - painted - 2 <= first.visible_ms <= hid[1] - gave[0] + 2
    assert 300 <= second.visible_ms <= now(page)
    assert first.started < second.started


def test_focus_losses_copies_and_what_was_seen_of_b(phone: BrowserContext, server: Double, study: BlindedStudy) -> None:
    rater = at_trial_1(phone, server, study)
    page = rater.page
    rater.answer(NORMAL)  # B lies below the fold
    answer = stored(page, server, 1)
    assert answer.b_seen < 0.2
    assert (answer.focus_losses, answer.copies) == (0, 0)

    rater.sees("TRIAL 2 of 23")
    page.wait_for_timeout(100)
    for event in ("blur", "focus", "blur", "focus"):
        page.evaluate("(type) => window.dispatchEvent(new Event(type))", event)
    for copied in ("#b + .text", "#question"):
        page.evaluate(COPY, copied)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_timeout(100)
    rater.answer(NORMAL)
    answer = stored(page, server, 2)
    assert answer.focus_losses == 2
    assert answer.copies == 1
    assert 0.1 < answer.b_seen < 1  # its beginning was jumped over

    rater.sees("TRIAL 3 of 23")
    assert page.evaluate("scrollY") == 0
    for _ in range(12):
        page.evaluate("scrollBy(0, 250)")
        page.wait_for_timeout(40)
    rater.answer(OFF)
    assert stored(page, server, 3).b_seen == 1
    assert stored(page, server, 3).viewport == wire.Viewport(width=390, height=844)


def test_keys_can_be_switched_off_and_stay_off(desktop: BrowserContext, server: Double, study: BlindedStudy) -> None:
    rater = at_trial_1(desktop, server, study)
    page = rater.page
    switch = page.get_by_role("switch", name="Keys F / J")
    for number, (key, answer) in enumerate([("f", NORMAL), ("J", OFF), ("1", NORMAL), ("2", OFF)], 1):
        rater.settle()
        page.keyboard.press(f"Control+{key}")
        rater.sees(f"TRIAL {number} of 23")
        press_until_taken(rater, key)
        assert stored(page, server, number).response == answer
        assert stored(page, server, number).input == "key"
    switch.click()
    rater.settle()
    page.keyboard.press("f")
    page.reload()
    rater.sees("TRIAL 5 of 23")
    assert switch.get_attribute("aria-checked") == "false"
    rater.settle()
    page.keyboard.press("f")
    rater.sees("TRIAL 5 of 23")
    page.locator(f"#{OFF}").focus()
    page.keyboard.press("Enter")
    assert stored(page, server, 5).input == "key"
    switch.click()
    press_until_taken(rater, "j")
    assert stored(page, server, 6).response == OFF
