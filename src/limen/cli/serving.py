"""The processes of `limen serve`: one on SQLite, as many as asked for on PostgreSQL."""

import logging
import mmap
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import typer
from starlette.types import ASGIApp

from limen.cli.console import SystemSecrets, WallClock
from limen.core.ordering import plan_session
from limen.core.sessions import order_stream
from limen.storage.store import SqlStore, open_store
from limen.study.folder import write_whole
from limen.web.app import create_app
from limen.web.limits import COUNTS_A_SESSION, Allowance, Limits
from limen.web.metrics import Metrics, shared_memory
from limen.web.server import listen, run, running
from limen.workflow.served import ServedStudy, refuse_other_stimuli

log = logging.getLogger(__name__)

_CLOCKS_APART_S = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """A study and where its answers go."""

    study: ServedStudy
    built_page: str
    researcher_secret: str
    secrets: SystemSecrets
    database: str
    answers: str  # where they are, for people
    address_file: Path  # where other commands find the address while this serves
    sessions_per_minute: int

    def run(self, host: str, port: int, workers: int) -> None:
        """Serve until told to stop."""
        memory = shared_memory(workers)
        with ExitStack() as stack:
            sockets = _listen(host, port, workers, stack)
            name, bound, *_ = sockets[0].getsockname()
            link, hidden = _address(host, bound), _is_loopback(name)
            if workers == 1:
                with open_store(self.database, serving=True) as store, self._findable(link):
                    self._announce(store, link, hidden)
                    self._answer(store, sockets[0], memory, 0)
                return
            with open_store(self.database, serving=True) as store:  # brought up to date and looked at once, not by each
                self._announce(store, link, hidden)
            from limen.web.workers import Workers  # most servers are one process

            parent = os.getpid()
            with self._findable(link):
                Workers(workers, lambda worker: self._work(sockets[worker], memory, worker, parent)).run()

    @contextmanager
    def beside(self) -> Iterator[str]:
        """Serve on a free port of this machine, in a thread, while a command does something else; give the address."""
        with listen("127.0.0.1", 0) as sock, open_store(self.database, serving=True) as store:
            address = _address("127.0.0.1", sock.getsockname()[1])
            app = self._app(store, Metrics(shared_memory(1), 0))
            with self._findable(address), running(app, sock, store):
                yield address

    def _work(self, sock: socket.socket, memory: mmap.mmap, worker: int, parent: int) -> None:
        with open_store(self.database, serving=True) as store:
            self._answer(store, sock, memory, worker, parent)

    def _answer(
        self, store: SqlStore, sock: socket.socket, memory: mmap.mmap, worker: int, parent: int | None = None
    ) -> None:
        log.info("serving", extra={"fields": {"worker": worker}})
        metrics = Metrics(memory, worker)
        run(self._app(store, metrics), sock, store, metrics, parent=parent)
        log.info("stopping", extra={"fields": {"worker": worker}})

    def _app(self, store: SqlStore, metrics: Metrics) -> ASGIApp:
        return create_app(
            study=self.study,
            store=store,
            clock=WallClock(),
            secrets=self.secrets,
            built_page=self.built_page,
            researcher_secret=self.researcher_secret,
            limits=Limits(
                sessions=Allowance(self.sessions_per_minute),
                counts=Allowance(COUNTS_A_SESSION * self.sessions_per_minute),
            ),
            metrics=metrics,
        )

    @contextmanager
    def _findable(self, address: str) -> Iterator[None]:
        """Keep the address in the study folder while the server runs, so that `limen simulate` finds it."""
        write_whole(self.address_file, f"{address}\n".encode())
        try:
            yield
        finally:
            self.address_file.unlink(missing_ok=True)

    def _announce(self, store: SqlStore, link: str, hidden: bool) -> None:
        """Print the links; `hidden` ones work on this machine only."""
        study = self.study
        store.read(lambda reading: refuse_other_stimuli(reading, study))
        typer.echo(f"participants  {link}/{'' if study.live else 'pilot'}")
        typer.echo(f"try it out    {link}/preview")
        typer.echo(f"researcher    {link}/status/{self.researcher_secret}  (keep it to yourself)")
        typer.echo(f"answers       {self.answers}")
        if not study.live:
            typer.echo("this is a pilot: its answers are kept apart from those of the study")
        plan = plan_session(study.protocol, study.stimuli, order_stream(study.front_mode, 1))
        if plan.moved_checks:
            ids = {check.check_id for check in study.stimuli.checks}
            now = [str(n) for n, shown in enumerate(plan.stimulus_ids, 1) if shown in ids]
            meant = ", ".join(str(check.position) for check in study.protocol.attention_checks)
            typer.echo(
                f"{plan.trial_count} trials are too few for attention checks at {meant}: they stand at {', '.join(now)}"
            )
        ahead_s = store.clock_ahead_s()
        if abs(ahead_s) > _CLOCKS_APART_S:
            typer.echo(
                f"warning: this machine's clock is {abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} the "
                "database's; who is answered by several machines is timed wrongly by as much: set the clocks by NTP",
                err=True,
            )
        if hidden:
            typer.echo(
                "only this machine opens these links; --host 0.0.0.0 lets the network in, "
                "docs/how-to/behind-nginx.md the internet"
            )


def _listen(host: str, port: int, workers: int, stack: ExitStack) -> list[socket.socket]:
    """Give a socket for each process, all at one port: one that dies leaves its visitors waiting, not refused."""
    sockets: list[socket.socket] = []
    for _ in range(workers):
        taken = sockets[0].getsockname()[1] if sockets else port
        sockets.append(stack.enter_context(listen(host, taken, shared=workers > 1)))
    return sockets


def _address(host: str, port: int) -> str:
    if host in ("0.0.0.0", "::"):  # noqa: S104 - only told apart here
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _is_loopback(address: str) -> bool:
    """Tell whether an address that a socket listens at can be reached from its own machine only."""
    return address.startswith("127.") or address == "::1"
