"""The store's questions and changes on one open transaction."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import zip_longest
from typing import Any

import sqlalchemy as sa

from limen.core.judgment import Response
from limen.core.sessions import (
    DailyCount,
    DebriefAnswer,
    DebriefQuestion,
    Enrolment,
    EventKind,
    Mode,
    Part,
    Screen,
    Session,
    TrialRecord,
)
from limen.core.tokens import token_digest
from limen.storage import statements
from limen.storage.bulk import trial_columns
from limen.storage.prepared import prepared
from limen.storage.rows import (
    debrief_from,
    debrief_text,
    from_us,
    record_from,
    record_row,
    session_from,
    session_row,
    to_us,
)
from limen.storage.schema import comments, counts, debriefs, events, sessions, withdrawals
from limen.workflow.ports import AnswerCount, Heard, Milestones, Reading, TrialColumns, Writing

_SIZES = (2, 4, 8, 16, 32, 64)  # of questions for many sessions: a statement for each, compiled once
_NOT_ASKED: Any = object()


class WrittenBeforeError(Exception):
    """Raised when what was to be written together was there in part; each is to be done again by itself."""


class SqlReading(Reading):
    """Questions only."""

    _locks = False  # whether a session that was looked up is kept from others until the end of the transaction

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection
        self._driver: Any = connection.connection.driver_connection

    def session(self, digest: str) -> Session | None:
        return self._one_session("token_digest", digest)

    def withdrawn(self, token_digest: str) -> bool:
        return self._exists(withdrawals.c.token_digest == token_digest)

    def session_to_withdraw(self, withdrawal_digest: str) -> Session | None:
        return self._one_session("withdrawal_digest", withdrawal_digest)

    def withdrawn_by(self, withdrawal_digest: str) -> bool:
        return self._exists(withdrawals.c.withdrawal_digest == withdrawal_digest)

    def response(self, session: Session, part: Part, number: int) -> Response | None:
        table = statements.ANSWERS[part]
        asked = sa.select(table.c.response).where(table.c.session_id == session.id, table.c.number == number)
        found = self._connection.scalar(asked)
        return None if found is None else Response(found)

    def records(self, session: Session, part: Part) -> tuple[TrialRecord, ...]:
        table = statements.ANSWERS[part]
        asked = sa.select(table).where(table.c.session_id == session.id).order_by(table.c.number)
        return tuple(record_from(row) for row in self._connection.execute(asked))

    def sessions(self, mode: Mode) -> tuple[Session, ...]:
        asked = statements.SESSIONS.where(sessions.c.mode == mode.value).order_by(sessions.c.number)
        return tuple(session_from(row) for row in self._connection.execute(asked))

    def comments(self, mode: Mode) -> Sequence[tuple[int, str]]:
        asked = sa.select(sessions.c.number, comments.c.text).join_from(sessions, comments)
        rows = self._connection.execute(asked.where(sessions.c.mode == mode.value).order_by(sessions.c.number))
        return [(row.number, row.text) for row in rows]

    def debriefs(self, mode: Mode) -> Sequence[tuple[int, DebriefAnswer]]:
        asked = (
            sa.select(sessions.c.number, debriefs.c.question, debriefs.c.answer)
            .join_from(sessions, debriefs)
            .where(sessions.c.mode == mode.value)
            .order_by(sessions.c.number, debriefs.c.question)
        )
        return [(row.number, debrief_from(row.question, row.answer)) for row in self._connection.execute(asked)]

    def milestones(self, mode: Mode) -> Milestones:
        row = self._connection.execute(statements.MILESTONES, {"mode": mode.value}).one()
        return Milestones(**row._asdict())

    def under_way(self, mode: Mode, since: datetime, limit: int) -> tuple[Heard, ...]:
        asked = {"mode": mode.value, "since_us": to_us(since), "limit": limit}
        rows = self._connection.execute(statements.UNDER_WAY, asked)
        return tuple(Heard(session=session_from(row), last=from_us(row.heard_us)) for row in rows)

    def counts(self, mode: Mode) -> dict[DailyCount, int]:
        asked = sa.select(counts.c.what, sa.func.sum(counts.c.n)).where(counts.c.mode == mode.value)
        rows = self._connection.execute(asked.group_by(counts.c.what))
        return {DailyCount(what): int(n) for what, n in rows}

    def stimulus_digests(self, mode: Mode) -> dict[str, int]:
        asked = sa.select(sessions.c.stimulus_digest, sa.func.count()).where(sessions.c.mode == mode.value)
        rows = self._connection.execute(asked.group_by(sessions.c.stimulus_digest))
        return {digest: n for digest, n in rows}  # noqa: C416 - rows are no pairs to mypy

    def answer_counts(
        self, mode: Mode, stimulus_digest: str, groups: Mapping[str, Sequence[str]]
    ) -> dict[str, AnswerCount]:
        asked = statements.answer_counts(mode.value, stimulus_digest, groups)
        found = list(self._connection.execute(asked).one())
        return {
            name: AnswerCount(off=off, n=normal + off)
            for name, normal, off in zip(groups, found[::2], found[1::2], strict=True)
        }

    def trials(self, mode: Mode, stimulus_digest: str) -> Iterator[TrialColumns]:
        return trial_columns(self._connection, mode, stimulus_digest)

    def _one_session(self, column: str, digest: str) -> Session | None:
        asked = prepared(statements.SESSION_BY[self._locks][column], self._connection.dialect)
        row = asked.one_or_none(self._driver, {"digest": digest})
        return None if row is None else session_from(row)

    def _exists(self, condition: sa.ColumnElement[bool]) -> bool:
        return self._connection.scalar(sa.select(withdrawals.c.mode).where(condition)) is not None


class SqlDesk(SqlReading, Writing):
    """Questions and changes.

    What many participants want at once is done together: their sessions are looked up by one question, and their
    answers, where each is the next one of its session, are written by one statement at the end, or before anything
    else is asked of the database. With `together` false every answer is written when it is added.
    """

    _locks = True

    def __init__(self, connection: sa.Connection, *, together: bool = False) -> None:
        self._line = connection
        self._line_driver: Any = connection.connection.driver_connection
        self._together = together
        self._known: dict[str, Any] = {}  # sessions looked up before they were asked for, each good for once
        self._pending: dict[Part, list[dict[str, Any]]] = {}
        self._counted: Counter[tuple[str, str, str]] = Counter()

    @property
    def _connection(self) -> sa.Connection:  # type: ignore[override]
        self._write_answers()
        return self._line

    @property
    def _driver(self) -> Any:
        self._write_answers()
        return self._line_driver

    def look_up(self, tokens: Collection[str]) -> None:
        """Look the sessions of many tokens up by one question, so that asking for each costs nothing."""
        if len(tokens) < _SIZES[0]:
            return
        digests = sorted(map(token_digest, tokens))  # PostgreSQL locks in this order: nobody waits crosswise
        for start in range(0, len(digests), _SIZES[-1]):
            some = digests[start : start + _SIZES[-1]]
            names = statements.DIGESTS[: next(size for size in _SIZES if size >= len(some))]
            asked = prepared(statements.sessions_by_digests(len(names)), self._line.dialect)
            values = dict(zip_longest(names, some, fillvalue=some[0]))
            found = {row.token_digest: row for row in asked.all(self._line_driver, values)}
            for digest in some:
                self._known[digest] = found.get(digest)

    def session(self, digest: str) -> Session | None:
        row = self._known.pop(digest, _NOT_ASKED)  # asked again, it may have changed
        if row is _NOT_ASKED:
            return self._one_session("token_digest", digest)
        return None if row is None else session_from(row)

    def flush(self) -> None:
        """Write what waits to be written together; raise WrittenBeforeError when an answer was there already."""
        self._write_answers()
        self._write_counts()

    def _write_answers(self) -> None:
        if not self._pending:
            return
        pending, self._pending = self._pending, {}
        for part, rows in pending.items():
            adding = prepared(statements.ADD_RECORD[part][self._line.dialect.name], self._line.dialect)
            if adding.changes_by_all(self._line_driver, rows) != len(rows):
                raise WrittenBeforeError

    def _write_counts(self) -> None:
        """Add up what was counted, in an order, so that two servers never wait for each other crosswise."""
        counted, self._counted = self._counted, Counter()
        for (mode, day, what), n in sorted(counted.items()):
            row = {"mode": mode, "day": day, "what": what, "more": n}
            self._connection.execute(self._in_dialect(statements.COUNT), row)

    def counts(self, mode: Mode) -> dict[DailyCount, int]:
        self._write_counts()
        return super().counts(mode)

    def next_number(self, mode: Mode) -> int:
        number: int = self._connection.scalar(self._in_dialect(statements.NEXT_NUMBER), {"mode": mode.value})
        return number

    def enrol(self, enrolment: Enrolment) -> Session:
        self._connection.execute(sa.insert(sessions), session_row(enrolment))
        session = self.session(enrolment.token_digest)
        if session is None:
            raise RuntimeError("a session that was just stored is not there")
        return session

    def session_of_request(self, request_digest: str) -> Session | None:
        return self._one_session("request_digest", request_digest)

    def sealed_token(self, session: Session) -> str | None:
        sealed: str | None = self._connection.scalar(
            sa.select(sessions.c.sealed_token).where(sessions.c.id == session.id)
        )
        return sealed

    def add_record(self, session: Session, part: Part, record: TrialRecord) -> bool:
        if self._together:
            self._pending.setdefault(part, []).append(record_row(session.id, record))
            return True
        return self._add(statements.ADD_RECORD[part], record_row(session.id, record))

    def note_painted(self, session: Session, at: datetime, client_time: datetime) -> bool:
        if session.painted is not None:
            return False
        self._change(session, painted_us=to_us(at), painted_client_us=to_us(client_time))
        return True

    def add_screen(self, session: Session, screen: Screen, visible_ms: int, at: datetime) -> bool:
        row = {"session_id": session.id, "screen": screen.value, "visible_ms": visible_ms, "received_us": to_us(at)}
        return self._add(statements.ADD_SCREEN, row)

    def add_debrief(self, session: Session, question: DebriefQuestion, answer: DebriefAnswer, at: datetime) -> bool:
        row = {"session_id": session.id, "question": question.value, "answer": debrief_text(answer)}
        return self._add(statements.ADD_DEBRIEF, {**row, "received_us": to_us(at)})

    def add_comment(self, session: Session, text: str, at: datetime) -> bool:
        return self._add(statements.ADD_COMMENT, {"session_id": session.id, "text": text, "received_us": to_us(at)})

    def add_event(self, session: Session, kind: EventKind, at: datetime) -> None:
        self._connection.execute(sa.insert(events), {"session_id": session.id, "kind": kind.value, "at_us": to_us(at)})

    def set_lease(self, session: Session, tab: str, *, held: bool) -> None:
        self._change(session, tab=tab, held=held)

    def finish(self, session: Session, at: datetime, *, page_task_ms: int | None, completion_code: str | None) -> None:
        self._change(session, finished_us=to_us(at), page_task_ms=page_task_ms, completion_code=completion_code)

    def stop(self, session: Session, at: datetime) -> None:
        self._change(session, stopped_us=to_us(at))

    def forget(self, session: Session, on: date) -> None:
        self._unlearn(session)
        kept = sa.select(
            sessions.c.token_digest, sessions.c.withdrawal_digest, sessions.c.mode, sa.literal(on.isoformat())
        ).where(sessions.c.id == session.id)
        columns = ["token_digest", "withdrawal_digest", "mode", "day"]
        self._connection.execute(sa.insert(withdrawals).from_select(columns, kept))
        self._connection.execute(sa.delete(sessions).where(sessions.c.id == session.id))

    def count(self, mode: Mode, on: date, what: DailyCount) -> None:
        self._counted[mode.value, on.isoformat(), what.value] += 1

    def wait_less(self) -> None:
        """Wait only shortly for what others hold, until the end of the transaction."""
        if self._line.dialect.name == "postgresql":
            self._line_driver.execute("SET LOCAL lock_timeout = 300")

    def touch(self) -> None:
        """Write something and change nothing, to see whether the database takes it."""
        self._connection.execute(sa.text("UPDATE alembic_version SET version_num = version_num"))

    def _add(self, statement: Mapping[str, sa.Executable], row: dict[str, Any]) -> bool:
        adding = prepared(self._in_dialect(statement), self._connection.dialect)
        return adding.changes(self._driver, row)

    def _change(self, session: Session, **values: object) -> None:
        self._unlearn(session)
        self._connection.execute(sa.update(sessions).where(sessions.c.id == session.id).values(**values))

    def _unlearn(self, session: Session) -> None:
        """Have a session looked up anew that was reached by another way than its token, and is changed."""
        stale = [digest for digest, row in self._known.items() if row is not None and row.id == session.id]
        for digest in stale:
            del self._known[digest]

    def _in_dialect(self, statement: Mapping[str, sa.Executable]) -> Any:
        return statement[self._connection.dialect.name]
