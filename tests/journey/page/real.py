"""The real server with its real store, for what must hold when nothing is made up."""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import uvicorn

from journey.page.double import Stored
from limen.cli.console import SystemSecrets, WallClock
from limen.core.protocol import Protocol
from limen.core.sessions import Mode, Part, Session, TrialRecord
from limen.core.stimuli import StimulusSet
from limen.storage.store import open_store
from limen.study.protocol_file import built_in_protocol
from limen.survey import wire
from limen.web.app import create_app
from limen.web.server import configured, listen
from limen.workflow.ports import Clock, Reading, Secrets, Store
from limen.workflow.served import serve_study

T = TypeVar("T")

RESEARCHER = "researcher-secret-00001"


@dataclass
class Real:
    """`limen serve` in a thread: the same application over the same store, in a file that outlives a restart."""

    built: str
    stimuli: StimulusSet
    file: Path
    protocol: Protocol = field(default_factory=built_in_protocol)
    clock: Clock = field(default_factory=WallClock)
    secrets: Secrets = field(default_factory=SystemSecrets)
    port: int = 0
    _store: Store | None = None
    _stack: ExitStack = field(default_factory=ExitStack)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Serve, on the same port as before if there was one."""
        self._store = self._stack.enter_context(open_store(f"sqlite:///{self.file}", serving=True))
        app = create_app(
            study=serve_study(self.protocol, self.stimuli, live=True),
            store=self._store,
            clock=self.clock,
            secrets=self.secrets,
            built_page=self.built,
            researcher_secret=RESEARCHER,
        )
        sock = self._stack.enter_context(listen("127.0.0.1", self.port))
        self.port = sock.getsockname()[1]
        server = uvicorn.Server(configured(app))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.005)

        def end() -> None:
            server.should_exit = server.force_exit = True
            thread.join(10)

        self._stack.callback(end)

    def stop(self) -> None:
        """Stop serving; what is stored stays."""
        self._stack.close()
        self._stack = ExitStack()

    def restart(self) -> None:
        self.stop()
        self.start()

    @property
    def sessions(self) -> Mapping[str, Stored]:
        """The sessions by participant: of a token the server keeps nothing but a digest."""
        return self._read(
            lambda reading: {s.participant: self._stored(s, reading) for s in reading.sessions(Mode.LIVE)}
        )

    @property
    def counts(self) -> Mapping[str, int]:
        return self._read(lambda reading: Counter({str(what): n for what, n in reading.counts(Mode.LIVE).items() if n}))

    def only(self) -> Stored:
        """Give the one session there is."""
        (session,) = self.sessions.values()
        return session

    def answers(self) -> list[str]:
        """Give the answers of the one session, in the order of the trials, each once."""
        trials = self.only().trials
        assert list(trials) == list(range(1, len(trials) + 1))
        return [str(answer.response) for answer in trials.values()]

    def _read(self, ask: Callable[[Reading], T]) -> T:
        assert self._store is not None
        return self._store.read(ask)

    def _stored(self, session: Session, reading: Reading) -> Stored:
        return Stored(
            token=session.participant,
            mode=str(session.mode),
            tab=session.tab if session.held else "",
            practice=_answers(reading.records(session, Part.PRACTICE), session.tab),
            trials=_answers(reading.records(session, Part.TRIALS), session.tab),
            parts=self._parts(session),
        )

    def _parts(self, session: Session) -> dict[str, object]:
        """Give what the file holds besides answers, as the messages that brought it."""
        parts: dict[str, object] = {}
        tab = session.tab
        with closing(sqlite3.connect(self.file)) as file:
            mine = (session.id,)
            for screen, visible_ms in file.execute("SELECT screen, visible_ms FROM screens WHERE session_id = ?", mine):
                parts[f"screens/{screen}"] = wire.ScreenTime(visible_ms=visible_ms, tab=tab)
            for question, answer in file.execute("SELECT question, answer FROM debriefs WHERE session_id = ?", mine):
                kind = {"strategy": wire.Strategy, "demographics": wire.Demographics}[question]
                parts[f"debrief/{question}"] = msgspec.convert({**msgspec.json.decode(answer), "tab": tab}, kind)
        if session.painted:
            parts["painted"] = wire.Painted(client_time=_time(session.painted), tab=tab)
        if session.finished:
            parts["completion"] = wire.Completion(tab=tab, main_task_ms=session.page_task_ms)
        return parts


def _answers(records: tuple[TrialRecord, ...], tab: str) -> dict[int, wire.Answer]:
    return {record.number: _answer(record, tab) for record in records}


def _answer(record: TrialRecord, tab: str) -> wire.Answer:
    judgment = record.judgment
    return wire.Answer(
        response=judgment.response,
        response_time_ms=judgment.response_time_ms,
        client_time=_time(judgment.client_time),
        queued_offline=judgment.queued_offline,
        attempts=tuple(
            wire.Attempt(visible_ms=a.visible_ms, hidden_ms=a.hidden_ms, started=_time(a.started))
            for a in judgment.attempts
        ),
        focus_losses=judgment.focus_losses,
        focus_lost_ms=judgment.focus_lost_ms,
        copies=judgment.copies,
        b_seen=judgment.b_seen,
        input=judgment.input,
        viewport=wire.Viewport(width=judgment.viewport_width, height=judgment.viewport_height),
        tab=tab,
    )


def _time(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
