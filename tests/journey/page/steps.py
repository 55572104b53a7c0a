"""Steps that several journeys share."""

import time
from collections.abc import Callable
from typing import Protocol

from playwright.sync_api import BrowserContext, Page, Route

from journey.page.participant import Participant, mixed
from journey.page.study import NORMAL, OFF
from limen.core.blinding import BlindedStudy


class Reachable(Protocol):
    """Something that gives the page out."""

    @property
    def url(self) -> str: ...


def arrive(
    context: BrowserContext, survey: Reachable, study: BlindedStudy, path: str = "/", *, hasty: bool = False
) -> Participant:
    page = context.new_page()
    rater = Participant(page, study, hasty=hasty)
    page.goto(survey.url + path)
    return rater


def at_trial(
    context: BrowserContext, survey: Reachable, study: BlindedStudy, number: int, *, hasty: bool = True
) -> Participant:
    """Bring a participant to a trial: by hand to the practice, then by the interface that the page uses."""
    rater = arrive(context, survey, study, hasty=hasty)
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    practice = [f"practice/{number}" for number in (1, 2)]
    advance(rater.page, [*practice, *(f"trials/{n}" for n in range(1, number))], [NORMAL, OFF, *mixed(number - 1)])
    rater.sees(f"TRIAL {number} of {study.trial_count}")
    return rater


def advance(page: Page, paths: list[str], answers: list[str]) -> None:
    """Store answers as this page's tab would, then load the page anew."""
    page.evaluate(
        """async ([paths, answers]) => {
          const saved = Object.values(localStorage).filter((text) => text.startsWith('{')).map(JSON.parse)
            .find((value) => value.token);
          for (const [index, response] of answers.entries()) {
            const attempts = [{visible_ms: 500, hidden_ms: 0, started: new Date().toISOString()}];
            const body = {response, response_time_ms: 500, client_time: new Date().toISOString(), queued_offline: false,
              attempts, focus_losses: 0, focus_lost_ms: 0, copies: 0, b_seen: 1, input: 'key',
              viewport: {width: 1, height: 1}, tab: sessionStorage.getItem('survey/tab')};
            const address = `/api/sessions/${saved.token}/${paths[index]}`;
            const headers = {'Content-Type': 'application/json'};
            const answer = await fetch(address, {method: 'PUT', headers, body: JSON.stringify(body)});
            if (!answer.ok) throw new Error(await answer.text());
          }
        }""",
        [paths, answers],
    )
    page.reload()


def finish(rater: Participant) -> None:
    rater.strategy()
    rater.demographics()
    rater.sees(rater.study.wording.thanks.title)


def wait_until(page: Page, holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until, "it did not come to hold"
        page.wait_for_timeout(20)


def lose_answer(route: Route) -> None:
    """Let a request through, but not what is said to it."""
    route.fetch()
    route.abort("connectionreset")
