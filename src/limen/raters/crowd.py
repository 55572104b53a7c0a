"""Many simulated raters over HTTP: admitted in order, so that numbers are the same in every run; then all at once."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence

from limen.core.simulated_rater import SimulatedRater
from limen.raters.line import Line, Server, open_line
from limen.raters.participant import Knowledge, Participant
from limen.raters.traffic import TrafficSummary
from limen.workflow.ports import Secrets
from limen.workflow.served import ServedStudy
from limen.workflow.simulate import qualifying_answers


def know(study: ServedStudy) -> Knowledge:
    """Give what raters know from the study folder."""
    return Knowledge(
        study=study.blinded,
        stimulus_by_texts={texts: stimulus_id for stimulus_id, texts in study.texts.items()},
        qualifying=qualifying_answers(study),
    )


def simulate_over_http(
    study: ServedStudy,
    server: Server,
    raters: Sequence[SimulatedRater],
    secrets: Secrets,
    *,
    at_once: int,
    finished: Callable[[], None] = lambda: None,
) -> TrafficSummary:
    """Let raters take the survey on a running server, at most `at_once` of them at a time.

    `finished` is called whenever one is done. The first failure ends it: what was acknowledged by then is stored.
    """
    return asyncio.run(_simulate(know(study), server, raters, secrets, at_once, finished))


async def _simulate(
    knowledge: Knowledge,
    server: Server,
    raters: Sequence[SimulatedRater],
    secrets: Secrets,
    at_once: int,
    finished: Callable[[], None],
) -> TrafficSummary:
    began = time.perf_counter()
    async with open_line(server, connections=at_once) as line:
        waiting = await _admit(knowledge, line, raters, secrets)
        room = asyncio.Semaphore(at_once)

        async def take_part(participant: Participant) -> None:
            async with room:
                await participant.take_part()
            finished()

        await _all(take_part, waiting)
        return line.traffic.summary(time.perf_counter() - began)


async def _admit(
    knowledge: Knowledge, line: Line, raters: Sequence[SimulatedRater], secrets: Secrets
) -> list[Participant]:
    waiting = []
    for rater in raters:
        participant = Participant(rater=rater, knowledge=knowledge, line=line, tab=secrets.token())
        await participant.arrive(secrets.token())
        waiting.append(participant)
    return waiting


async def _all(take_part: Callable[[Participant], Coroutine[None, None, None]], waiting: Sequence[Participant]) -> None:
    """Run all; of several failures the first is raised, and the others are called off."""
    tasks = [asyncio.create_task(take_part(participant)) for participant in waiting]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise
