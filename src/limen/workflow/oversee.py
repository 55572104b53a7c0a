"""What a researcher may see while a study runs: how many and how far, never anything by condition."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from limen.core.protocol import Protocol
from limen.core.sessions import DailyCount, Mode, Stage, participant_code
from limen.workflow.ports import Heard, Overseeing

SHOWN_UNDER_WAY = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    """A session that has not ended."""

    participant: str
    stage: Stage
    answered: int
    trial_count: int
    begun: datetime
    last_heard: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeOverview:
    """The way from the first page to the last, for one mode. Withdrawn people are counted wherever they had been."""

    mode: Mode
    landed: int
    consented: int
    declined: int
    screened_out: int
    screened_in: int
    started: int
    finished: int
    stopped: int
    withdrawn: int
    in_hand: int  # finished and not withdrawn: what counts towards the target
    from_files: int  # sessions of a static page, which cannot tell who opened it, agreed or declined
    under_way: tuple[UnderWay, ...]  # the latest heard of first, at most SHOWN_UNDER_WAY
    comments: tuple[tuple[str, str], ...]  # participant and text; pilots have them


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The state of a study."""

    target_raters: int
    modes: tuple[ModeOverview, ...]

    def of(self, mode: Mode) -> ModeOverview:
        """Give one mode's numbers."""
        return next(overview for overview in self.modes if overview.mode is mode)

    def in_use(self, front: Mode) -> tuple[ModeOverview, ...]:
        """Give the mode of those who come by the participant's link, and the others in which anyone came."""
        return tuple(each for each in self.modes if each.mode is front or each.landed or each.screened_in)


def oversee(reading: Overseeing, protocol: Protocol, now: datetime) -> Overview:
    """Count everything that may be known of a running study."""
    since = now - timedelta(hours=protocol.survey.resume_within_hours)
    return Overview(
        target_raters=protocol.study.target_raters,
        modes=tuple(_mode(reading, mode, since) for mode in Mode),
    )


def nothing_yet(protocol: Protocol) -> Overview:
    """Give the overview of a study that has no store yet."""
    counted = [field.name for field in fields(ModeOverview) if field.type is int]
    return Overview(
        target_raters=protocol.study.target_raters,
        modes=tuple(ModeOverview(mode=mode, under_way=(), comments=(), **dict.fromkeys(counted, 0)) for mode in Mode),
    )


def _mode(reading: Overseeing, mode: Mode, since: datetime) -> ModeOverview:
    counts = reading.counts(mode)
    reached = reading.milestones(mode)

    def counted(what: DailyCount) -> int:
        return counts.get(what, 0)

    return ModeOverview(
        mode=mode,
        landed=counted(DailyCount.LANDED),
        consented=counted(DailyCount.CONSENTED),
        declined=counted(DailyCount.DECLINED),
        screened_out=counted(DailyCount.SCREENED_OUT),
        screened_in=reached.created + counted(DailyCount.WITHDRAWN),
        started=reached.started + counted(DailyCount.WITHDRAWN_STARTED),
        finished=reached.finished + counted(DailyCount.WITHDRAWN_FINISHED),
        stopped=reached.stopped,
        withdrawn=counted(DailyCount.WITHDRAWN),
        in_hand=reached.finished,
        from_files=reached.from_files,
        under_way=tuple(_under_way(heard) for heard in reading.under_way(mode, since, SHOWN_UNDER_WAY)),
        comments=tuple((participant_code(number), text) for number, text in reading.comments(mode)),
    )


def _under_way(heard: Heard) -> UnderWay:
    session = heard.session
    return UnderWay(
        participant=session.participant,
        stage=session.stage,
        answered=session.answered,
        trial_count=len(session.plan),
        begun=session.created,
        last_heard=heard.last,
    )
