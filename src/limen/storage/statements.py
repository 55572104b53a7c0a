"""The statements, made once. Writing ones come in the two dialects that know ON CONFLICT."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

import sqlalchemy as sa

from limen.core.judgment import Response
from limen.core.sessions import DebriefQuestion, Part
from limen.storage.schema import comments, counts, debriefs, numbers, practice, screens, sessions, trials

ANSWERS = {Part.TRIALS: trials, Part.PRACTICE: practice}


def _last_number(table: sa.Table, name: str) -> sa.Label[Any]:
    last = sa.select(sa.func.max(table.c.number)).where(table.c.session_id == sessions.c.id).scalar_subquery()
    return sa.func.coalesce(last, 0).label(name)


def _has_debrief(question: DebriefQuestion) -> sa.Label[bool]:
    found = sa.exists().where(debriefs.c.session_id == sessions.c.id, debriefs.c.question == question.value)
    return found.label(f"has_{question}")


_LEFT_OUT = (  # what a session's value does not hold
    *("token_digest", "withdrawal_digest", "request_digest", "sealed_token"),
    *("completion_code", "painted_client_us"),
)

SESSIONS = sa.select(
    *(column for column in sessions.c if column.name not in _LEFT_OUT),
    _last_number(practice, "practiced"),
    _last_number(trials, "answered"),
    *(_has_debrief(question) for question in DebriefQuestion),
)
"""Sessions with what is counted beside them. Answers come in order, so the last number is how many there are."""

_BY_DIGEST = {
    column.name: SESSIONS.where(column == sa.bindparam("digest"))
    for column in (sessions.c.token_digest, sessions.c.withdrawal_digest, sessions.c.request_digest)
}

SESSION_BY = {
    False: _BY_DIGEST,
    True: {name: asked.with_for_update(of=sessions) for name, asked in _BY_DIGEST.items()},
}
"""One session, by whether it is kept from others until the end of the transaction, and by the digest's column."""


DIGESTS = tuple(f"digest_{n}" for n in range(64))


@cache
def sessions_by_digests(count: int) -> sa.Executable:
    """Look up as many sessions by their tokens' digests, and keep them from others, in the order of the digests."""
    digests = [sa.bindparam(name, type_=sa.Text()) for name in DIGESTS[:count]]
    asked = SESSIONS.add_columns(sessions.c.token_digest).where(sessions.c.token_digest.in_(digests))
    return asked.order_by(sessions.c.token_digest).with_for_update(of=sessions)


_last_trial = sa.select(sa.func.max(trials.c.received_us)).where(trials.c.session_id == sessions.c.id)
_heard = sa.func.coalesce(_last_trial.scalar_subquery(), sessions.c.painted_us, sessions.c.created_us).label("heard_us")

UNDER_WAY = (
    SESSIONS.add_columns(_heard)
    .where(
        sessions.c.mode == sa.bindparam("mode"),
        sessions.c.created_us >= sa.bindparam("since_us"),
        sessions.c.finished_us.is_(None),
        sessions.c.stopped_us.is_(None),
    )
    .order_by(_heard.desc(), sessions.c.number)
    .limit(sa.bindparam("limit"))
)

_started = sa.or_(sessions.c.painted_us.is_not(None), sa.exists().where(trials.c.session_id == sessions.c.id))

MILESTONES = sa.select(
    sa.func.count().label("created"),
    sa.func.coalesce(sa.func.sum(sa.case((_started, 1), else_=0)), 0).label("started"),
    sa.func.count(sessions.c.finished_us).label("finished"),
    sa.func.count(sessions.c.stopped_us).label("stopped"),
    sa.func.count(sessions.c.plan_code).label("from_files"),
).where(sessions.c.mode == sa.bindparam("mode"))

TRIAL_COLUMNS = (
    sa.select(
        sessions.c.number.label("participant_number"),
        trials.c.number.label("trial_number"),
        trials.c.stimulus_id,
        trials.c.response,
        trials.c.response_time_ms,
        trials.c.received_us,
        trials.c.client_time_us,
        sessions.c.source,
        trials.c.queued_offline,
        trials.c.attempt,
        trials.c.page_ms,
        trials.c.focus_losses,
        trials.c.focus_lost_ms,
        trials.c.copies,
        trials.c.b_seen,
        trials.c.input,
        trials.c.viewport_width,
        trials.c.viewport_height,
    )
    .join_from(sessions, trials, trials.c.session_id == sessions.c.id)
    .where(sessions.c.mode == sa.bindparam("mode"), sessions.c.stimulus_digest == sa.bindparam("digest"))
    .order_by(sessions.c.number, trials.c.number)
)


def answer_counts(mode: str, stimulus_digest: str, groups: Mapping[str, Sequence[str]]) -> sa.Executable:
    """Count over all trials at once: for each group those that say normal, then those that say off.

    Each trial is looked up once, in the inner statement; the limit keeps SQLite from looking it up for each count
    again. Grouping would have it sort a million rows.
    """
    which = sa.case(*((trials.c.stimulus_id.in_(ids), 2 * place) for place, ids in enumerate(groups.values())))
    off = sa.case((trials.c.response == Response.SOMETHINGS_OFF.value, 1), else_=0)
    told = (
        sa.select((which + off).label("answer"))
        .join_from(sessions, trials, trials.c.session_id == sessions.c.id)
        .where(sessions.c.mode == mode, sessions.c.stimulus_digest == stimulus_digest)
        .limit(2**62)
        .subquery()
    )
    return sa.select(*(sa.func.count(sa.case((told.c.answer == answer, 1))) for answer in range(2 * len(groups))))


class _ByDialect(dict[str, sa.Executable]):
    """A statement in the dialect that is asked for; only that one's part of SQLAlchemy is loaded."""

    def __init__(self, make: Callable[[Any], sa.Executable]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, dialect: str) -> sa.Executable:
        made = self[dialect] = self._make(import_module(f"sqlalchemy.dialects.{dialect}").insert)
        return made


def _first_wins(table: sa.Table) -> _ByDialect:
    """Insert unless it is there."""
    return _ByDialect(lambda insert: insert(table).on_conflict_do_nothing())


def _next_number(insert: Any) -> sa.Executable:
    taken: sa.Executable = (
        insert(numbers)
        .values(mode=sa.bindparam("mode"), last=1)
        .on_conflict_do_update(index_elements=["mode"], set_={"last": numbers.c.last + 1})
        .returning(numbers.c.last)
    )
    return taken


def _count(insert: Any) -> sa.Executable:
    counted: sa.Executable = (
        insert(counts)
        .values(mode=sa.bindparam("mode"), day=sa.bindparam("day"), what=sa.bindparam("what"), n=sa.bindparam("more"))
        .on_conflict_do_update(
            index_elements=["mode", "day", "what"], set_={"n": counts.c.n + sa.bindparam("more", type_=sa.Integer)}
        )
    )
    return counted


ADD_RECORD = {part: _first_wins(table) for part, table in ANSWERS.items()}
ADD_SCREEN = _first_wins(screens)
ADD_DEBRIEF = _first_wins(debriefs)
ADD_COMMENT = _first_wins(comments)
NEXT_NUMBER = _ByDialect(_next_number)
COUNT = _ByDialect(_count)
