"""Everything that was stored for one mode, as an analysis wants it."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from limen.core.analysis.estimates import Undetermined
from limen.core.analysis.trials import Participants, TaskClock
from limen.core.debrief import DebriefRecord
from limen.core.findings import DataProblem
from limen.core.numerals import counted
from limen.core.protocol import Protocol
from limen.core.sessions import (
    DailyCount,
    DebriefAnswer,
    Mode,
    Session,
    Source,
    StrategyAnswer,
    participant_code,
)
from limen.core.shown import shown_stimuli
from limen.core.stimuli import StimulusSet
from limen.core.tabulation import Chunk, tabulate_answers
from limen.errors import NotReadyError
from limen.workflow.answers import JoinedTrials, joined_trials
from limen.workflow.collected import Arrivals, Collected, Material
from limen.workflow.ports import Reading


def gather_answers(reading: Reading, protocol: Protocol, stimuli: StimulusSet, mode: Mode) -> Collected:
    """Give all answers of a mode, with who came how far; those to other stimuli are left out and reported."""
    digest = stimuli.digest()
    times = _TaskTimes()
    chunks = [_chunk(joined, times) for joined in joined_trials(reading, stimuli, mode)]
    sessions = [session for session in reading.sessions(mode) if session.stimulus_digest == digest]
    started = _started(sessions)
    tabulated = tabulate_answers(
        chunks,
        mode=str(mode),
        conditions=tuple(condition.name for condition in protocol.conditions),
        participants=_participants(started, times),
        stimuli=shown_stimuli(protocol, stimuli),
    )
    return Collected(
        table=tabulated.table,
        source="the study's store",
        arrivals=_arrivals(reading, mode),
        debrief=_debriefs(reading.debriefs(mode)),
        material=Material.of(protocol, stimuli),
        problems=(*tabulated.problems, *_other_stimuli(reading, mode, digest)),
    )


def refuse_other_pairs(reading: Reading, mode: Mode) -> None:
    """Raise NotReadyError when raters of a mode began, for a study in which none of them answered the present pairs."""
    started = _started(reading.sessions(mode))
    if started:
        sets = ", ".join(f"{digest[:8]}…" for digest in sorted({session.stimulus_digest for session in started}))
        raters = f"{len(started)} {mode} rater{'' if len(started) == 1 else 's'}"
        raise NotReadyError(
            f"{raters} answered another set of pairs (stimuli {sets}); put that set back into stimuli/ "
            "(`limen pairs --replace` keeps a replaced one in stimuli/before-…/), or collect answers to this one"
        )


def _started(sessions: Iterable[Session]) -> list[Session]:
    return [session for session in sessions if session.painted is not None or session.answered]


@dataclass(slots=True)
class _TaskTime:
    """What the answers of one participant tell about the main task."""

    first_received_us: int | None = None
    last_received_us: int = 0
    page_ms: int = 0
    queued_offline: bool = False
    set_back: bool = False  # whether an answer was received earlier than the one before it


class _TaskTimes(dict[str, _TaskTime]):
    """Task times by participant, made when first asked for."""

    def __missing__(self, participant: str) -> _TaskTime:
        self[participant] = _TaskTime()
        return self[participant]


def _chunk(joined: JoinedTrials, times: _TaskTimes) -> Chunk:
    """Give the columns of a chunk, numbers packed, and note what they tell about the main task."""
    columns = joined.columns
    of_task = zip(joined.participant_id, columns.received_us, columns.page_ms, columns.queued_offline, strict=True)
    for participant, received_us, page_ms, queued_offline in of_task:
        time = times[participant]
        if time.first_received_us is None:
            time.first_received_us = received_us
        time.set_back |= received_us < time.last_received_us
        time.last_received_us = max(time.last_received_us, received_us)
        time.page_ms += page_ms
        time.queued_offline |= queued_offline
    return {
        "participant_id": joined.participant_id,
        "stimulus_id": joined.pair_id,
        "trial_number": array("q", columns.trial_number),
        "response": columns.response,
        "response_time_ms": array("q", columns.response_time_ms),
        "timestamp_us": array("q", columns.received_us),
        "attempt": array("q", columns.attempt),
        "copies": array("q", columns.copies),
        "focus_losses": array("q", columns.focus_losses),
        "source": columns.source,
        "client_time_us": array("q", columns.client_time_us),
        "queued_offline": array("b", columns.queued_offline),
        "focus_lost_ms": array("q", columns.focus_lost_ms),
        "b_seen": array("d", columns.b_seen),
        "input": columns.input,
        "viewport_width": array("q", columns.viewport_width),
        "viewport_height": array("q", columns.viewport_height),
    }


def _participants(sessions: Sequence[Session], times: Mapping[str, _TaskTime]) -> Participants:
    measured = [_main_task(session, times[session.participant]) for session in sessions]
    return Participants.of(
        [session.participant for session in sessions],
        trials_planned=[len(session.plan) for session in sessions],
        main_task_ms=[ms for ms, _ in measured],
        main_task_clock=[clock for _, clock in measured],
        plan_codes=[session.plan_code for session in sessions],
    )


def _main_task(session: Session, time: _TaskTime) -> tuple[int, TaskClock]:
    """Tell how long the main task took, and by whose clock.

    The server's decides, from its receipt of "trial 1 painted" to that of the last answer; the page's own sum does for
    the static page, where answers had waited for a line, and where the server's clock was set back in between; a
    simulated rater's own clock does for simulated ones.
    """
    own_ms = time.page_ms if session.page_task_ms is None else session.page_task_ms
    if session.mode is Mode.SIMULATED:
        return own_ms, TaskClock.OWN
    if session.source is Source.STATIC or session.painted is None or time.queued_offline:
        return own_ms, TaskClock.PAGE
    painted_us = round(session.painted.timestamp() * 1_000_000)
    if time.set_back or (time.first_received_us is not None and time.first_received_us < painted_us):
        return own_ms, TaskClock.PAGE
    return max(0, time.last_received_us - painted_us) // 1000, TaskClock.SERVER


def _arrivals(reading: Reading, mode: Mode) -> Arrivals:
    counts = reading.counts(mode)
    reached = reading.milestones(mode)
    withdrawn = counts.get(DailyCount.WITHDRAWN, 0)
    screened_in = reached.created + withdrawn
    landed, consented = counts.get(DailyCount.LANDED, 0), counts.get(DailyCount.CONSENTED, 0)
    if reached.from_files:
        unseen = Undetermined(reason="a static page cannot tell who opened it")
        return Arrivals(landed=unseen, consented=unseen, screened_in=unseen, withdrawn=withdrawn)
    if landed < screened_in or consented < screened_in:
        unseen = Undetermined(reason="not counted for these sessions")
        return Arrivals(landed=unseen, consented=unseen, screened_in=screened_in, withdrawn=withdrawn)
    return Arrivals(landed=landed, consented=consented, screened_in=screened_in, withdrawn=withdrawn)


def _debriefs(answers: Sequence[tuple[int, DebriefAnswer]]) -> tuple[DebriefRecord, ...]:
    strategies = {number: given for number, given in answers if isinstance(given, StrategyAnswer)}
    demographics = {number: given for number, given in answers if not isinstance(given, StrategyAnswer)}
    return tuple(_debrief(number, strategies.get(number), demographics.get(number)) for number in _numbers(answers))


def _numbers(answers: Sequence[tuple[int, DebriefAnswer]]) -> Iterator[int]:
    yield from sorted({number for number, _ in answers})


def _debrief(number: int, strategy: DebriefAnswer | None, demographics: DebriefAnswer | None) -> DebriefRecord:
    told = strategy if isinstance(strategy, StrategyAnswer) and not strategy.skipped else None
    about = None if demographics is None or isinstance(demographics, StrategyAnswer) else demographics
    return DebriefRecord(
        participant=participant_code(number),
        strategies=told.options if told else None,
        other=told.other if told else "",
        age=about.age if about else None,
        use=about.use if about else None,
    )


def _other_stimuli(reading: Reading, mode: Mode, digest: str) -> tuple[DataProblem, ...]:
    others = {found: count for found, count in reading.stimulus_digests(mode).items() if found != digest}
    if not others:
        return ()
    return (
        DataProblem(
            reason="sessions made with other stimuli than those in stimuli/",
            count=sum(others.values()),
            rule="their answers are not counted",
            examples=tuple(
                f"stimuli {found[:12]}…: {counted(count, 'session')}" for found, count in sorted(others.items())
            ),
        ),
    )
