"""A store in memory: a small true implementation of the port, for tests of use cases."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from typing import Any, TypeVar

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
from limen.storage.rows import to_us
from limen.workflow.ports import AnswerCount, Heard, Milestones, Reading, Store, Task, TrialColumns, WriterLoad, Writing

T = TypeVar("T")


@dataclass
class _Contents:
    sessions: dict[int, Session] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    codes: dict[str, int] = field(default_factory=dict)
    requests: dict[str, int] = field(default_factory=dict)
    sealed: dict[int, str] = field(default_factory=dict)
    records: dict[tuple[int, Part, int], TrialRecord] = field(default_factory=dict)
    screens: dict[tuple[int, Screen], int] = field(default_factory=dict)
    debriefs: dict[tuple[int, DebriefQuestion], DebriefAnswer] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    events: list[tuple[int, EventKind, datetime]] = field(default_factory=list)
    tallies: Counter[tuple[Mode, date, DailyCount]] = field(default_factory=Counter)
    numbers: Counter[Mode] = field(default_factory=Counter)
    gone: dict[str, str] = field(default_factory=dict)
    last_id: int = 0


class MemoryDesk(Writing):
    """Questions and changes on the contents."""

    def __init__(self, contents: _Contents) -> None:
        self._contents = contents

    def session(self, token_digest: str) -> Session | None:
        return self._contents.sessions.get(self._contents.tokens.get(token_digest, 0))

    def withdrawn(self, token_digest: str) -> bool:
        return token_digest in self._contents.gone

    def session_to_withdraw(self, withdrawal_digest: str) -> Session | None:
        return self._contents.sessions.get(self._contents.codes.get(withdrawal_digest, 0))

    def withdrawn_by(self, withdrawal_digest: str) -> bool:
        return withdrawal_digest in self._contents.gone.values()

    def response(self, session: Session, part: Part, number: int) -> Response | None:
        record = self._contents.records.get((session.id, part, number))
        return None if record is None else record.judgment.response

    def records(self, session: Session, part: Part) -> tuple[TrialRecord, ...]:
        mine = [r for (of, p, _), r in self._contents.records.items() if (of, p) == (session.id, part)]
        return tuple(sorted(mine, key=lambda record: record.number))

    def sessions(self, mode: Mode) -> tuple[Session, ...]:
        mine = [session for session in self._contents.sessions.values() if session.mode is mode]
        return tuple(sorted(mine, key=lambda session: session.number))

    def comments(self, mode: Mode) -> Sequence[tuple[int, str]]:
        comments = self._contents.comments
        return [(session.number, comments[session.id]) for session in self.sessions(mode) if session.id in comments]

    def debriefs(self, mode: Mode) -> Sequence[tuple[int, DebriefAnswer]]:
        return [
            (session.number, self._contents.debriefs[session.id, question])
            for session in self.sessions(mode)
            for question in sorted(DebriefQuestion)
            if (session.id, question) in self._contents.debriefs
        ]

    def milestones(self, mode: Mode) -> Milestones:
        mine = self.sessions(mode)
        return Milestones(
            created=len(mine),
            started=sum(s.painted is not None or s.answered > 0 for s in mine),
            finished=sum(s.finished is not None for s in mine),
            stopped=sum(s.stopped is not None for s in mine),
            from_files=sum(s.plan_code is not None for s in mine),
        )

    def under_way(self, mode: Mode, since: datetime, limit: int) -> tuple[Heard, ...]:
        heard = []
        for s in self.sessions(mode):
            if s.finished is None and s.stopped is None and s.created >= since:
                times = [record.received for record in self.records(s, Part.TRIALS)]
                heard.append(Heard(session=s, last=max(times) if times else s.painted or s.created))
        return tuple(sorted(heard, key=lambda one: one.last, reverse=True)[:limit])

    def counts(self, mode: Mode) -> dict[DailyCount, int]:
        summed: Counter[DailyCount] = Counter()
        for (of, _, what), n in self._contents.tallies.items():
            if of is mode:
                summed[what] += n
        return dict(summed)

    def stimulus_digests(self, mode: Mode) -> dict[str, int]:
        return dict(Counter(session.stimulus_digest for session in self.sessions(mode)))

    def answer_counts(
        self, mode: Mode, stimulus_digest: str, groups: Mapping[str, Sequence[str]]
    ) -> dict[str, AnswerCount]:
        given = [
            (stimulus, response)
            for chunk in self.trials(mode, stimulus_digest)
            for stimulus, response in zip(chunk.stimulus_id, chunk.response, strict=True)
        ]
        return {
            name: AnswerCount(
                off=sum(stimulus in stimuli and response == Response.SOMETHINGS_OFF for stimulus, response in given),
                n=sum(stimulus in stimuli for stimulus, _ in given),
            )
            for name, stimuli in groups.items()
        }

    def trials(self, mode: Mode, stimulus_digest: str) -> Iterator[TrialColumns]:
        rows = [
            _row(session, record)
            for session in self.sessions(mode)
            if session.stimulus_digest == stimulus_digest
            for record in self.records(session, Part.TRIALS)
        ]
        if rows:
            names = [f.name for f in fields(TrialColumns)]
            yield TrialColumns(**{name: tuple(row[name] for row in rows) for name in names})

    def next_number(self, mode: Mode) -> int:
        self._contents.numbers[mode] += 1
        return self._contents.numbers[mode]

    def enrol(self, enrolment: Enrolment) -> Session:
        contents = self._contents
        contents.last_id += 1
        session = Session(
            id=contents.last_id,
            mode=enrolment.mode,
            number=enrolment.number,
            source=enrolment.source,
            plan=enrolment.plan,
            practice_count=enrolment.practice_count,
            stimulus_digest=enrolment.stimulus_digest,
            consent_version=enrolment.consent_version,
            created=enrolment.created,
            tab=enrolment.tab,
            held=enrolment.held,
            plan_code=enrolment.plan_code,
        )
        contents.sessions[session.id] = session
        contents.tokens[enrolment.token_digest] = session.id
        contents.codes[enrolment.withdrawal_digest] = session.id
        if enrolment.request_digest is not None:
            contents.requests[enrolment.request_digest] = session.id
        if enrolment.sealed_token is not None:
            contents.sealed[session.id] = enrolment.sealed_token
        return session

    def session_of_request(self, request_digest: str) -> Session | None:
        return self._contents.sessions.get(self._contents.requests.get(request_digest, 0))

    def sealed_token(self, session: Session) -> str | None:
        return self._contents.sealed.get(session.id)

    def add_record(self, session: Session, part: Part, record: TrialRecord) -> bool:
        key = (session.id, part, record.number)
        if key in self._contents.records:
            return False
        self._contents.records[key] = record
        now = self._contents.sessions[session.id]
        if part is Part.PRACTICE:
            self._keep(now, practiced=max(now.practiced, record.number))
        else:
            self._keep(now, answered=max(now.answered, record.number))
        return True

    def note_painted(self, session: Session, at: datetime, client_time: datetime) -> bool:
        if session.painted is not None:
            return False
        self._keep(session, painted=at)
        return True

    def add_screen(self, session: Session, screen: Screen, visible_ms: int, at: datetime) -> bool:
        new = (session.id, screen) not in self._contents.screens
        self._contents.screens.setdefault((session.id, screen), visible_ms)
        return new

    def add_debrief(self, session: Session, question: DebriefQuestion, answer: DebriefAnswer, at: datetime) -> bool:
        if (session.id, question) in self._contents.debriefs:
            return False
        self._contents.debriefs[session.id, question] = answer
        now = self._contents.sessions[session.id]
        self._keep(now, debriefed=tuple(q for q in DebriefQuestion if q in {*now.debriefed, question}))
        return True

    def add_comment(self, session: Session, text: str, at: datetime) -> bool:
        new = session.id not in self._contents.comments
        self._contents.comments.setdefault(session.id, text)
        return new

    def add_event(self, session: Session, kind: EventKind, at: datetime) -> None:
        self._contents.events.append((session.id, kind, at))

    def set_lease(self, session: Session, tab: str, *, held: bool) -> None:
        self._keep(session, tab=tab, held=held)

    def finish(self, session: Session, at: datetime, *, page_task_ms: int | None, completion_code: str | None) -> None:
        self._keep(session, finished=at, page_task_ms=page_task_ms)

    def stop(self, session: Session, at: datetime) -> None:
        self._keep(session, stopped=at)

    def forget(self, session: Session, on: date) -> None:
        contents = self._contents
        token = next(digest for digest, of in contents.tokens.items() if of == session.id)
        code = next(digest for digest, of in contents.codes.items() if of == session.id)
        contents.gone[token] = code
        del contents.tokens[token], contents.codes[code], contents.sessions[session.id]
        contents.comments.pop(session.id, None)
        contents.events = [event for event in contents.events if event[0] != session.id]
        belongings: tuple[dict[Any, Any], ...] = (contents.records, contents.screens, contents.debriefs)
        for belonging in belongings:
            for key in [key for key in belonging if key[0] == session.id]:
                del belonging[key]

    def count(self, mode: Mode, on: date, what: DailyCount) -> None:
        self._contents.tallies[mode, on, what] += 1

    def _keep(self, session: Session, **changes: Any) -> Session:
        now = replace(self._contents.sessions[session.id], **changes)
        self._contents.sessions[session.id] = now
        return now


class MemoryStore(Store):
    """Does everything at once, in the thread that asks."""

    def __init__(self) -> None:
        self._contents = _Contents()
        self._lock = threading.Lock()

    def read(self, ask: Callable[[Reading], T]) -> T:
        with self._lock:
            return ask(MemoryDesk(self._contents))

    def submit(self, work: Callable[[Writing], T], key: str = "") -> Future[T]:
        future: Future[T] = Future()
        with self._lock:
            changed = _Contents(**{f.name: copy(getattr(self._contents, f.name)) for f in fields(_Contents)})
            try:
                result = work(MemoryDesk(changed))
            except Exception as problem:
                future.set_exception(problem)
            else:
                self._contents = changed
                future.set_result(result)
        return future

    def hand_in(self, tasks: Sequence[Task]) -> None:
        for task in tasks:
            try:
                result = self.submit(task.work, task.key).result()
            except Exception as problem:
                task.fail(problem)
            else:
                task.settle(result)

    def healthy(self) -> bool:
        return True

    def ended(self) -> str | None:
        return None

    def load(self) -> WriterLoad:
        return WriterLoad()


def _row(session: Session, record: TrialRecord) -> dict[str, Any]:
    judgment = record.judgment
    return {
        "participant_number": session.number,
        "trial_number": record.number,
        "stimulus_id": record.stimulus_id,
        "response": judgment.response.value,
        "response_time_ms": judgment.response_time_ms,
        "received_us": to_us(record.received),
        "client_time_us": to_us(judgment.client_time),
        "source": session.source.value,
        "queued_offline": judgment.queued_offline,
        "attempt": len(judgment.attempts),
        "page_ms": judgment.page_ms,
        "focus_losses": judgment.focus_losses,
        "focus_lost_ms": judgment.focus_lost_ms,
        "copies": judgment.copies,
        "b_seen": judgment.b_seen,
        "input": judgment.input.value,
        "viewport_width": judgment.viewport_width,
        "viewport_height": judgment.viewport_height,
    }
