"""Potato and oTree, each in an environment of its own, with a study of 23 two-way judgments like ours.

They are installed here and nowhere else, and driven over their own HTTP interface: the request that their pages send
for each answer.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from client import connect, json_request, request_bytes
from subjects import TRIALS, Subject

POTATO, OTREE = "potato-annotation==2.12.0", "otree==6.0.15"
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def install(folder: Path, requirement: str) -> Path | None:
    """Give the folder of programs of a peer's own environment; None where it cannot be installed."""
    place = folder / re.split(r"[=<>]", requirement)[0]
    programs = place / "bin"
    if not (place / "installed").exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(place)], check=False)  # noqa: S603
        command = [str(programs / "pip"), "--disable-pip-version-check", "--quiet", "install", requirement]
        if made.returncode or subprocess.run(command, check=False).returncode:  # noqa: S603
            return None
        (place / "installed").touch()
    return programs


@contextmanager
def _served(command: list[str], folder: Path, port: int, environment: dict[str, str]) -> Iterator[Subject]:
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603 - commands of this file
            command, cwd=folder, stdout=log, stderr=log, env={**os.environ, **environment}, start_new_session=True
        )
        try:
            asyncio.run(_until_up(port))
            yield Subject(port=port, pid=process.pid)
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


async def _until_up(port: int, seconds: float = 60) -> None:
    until = time.monotonic() + seconds
    while True:
        try:
            line = await connect("127.0.0.1", port)
        except OSError:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(0.05)
        else:
            line.close()
            return


# ---- Potato -------------------------------------------------------------------------------------------------


@contextmanager
def potato(programs: Path, folder: Path, port: int) -> Iterator[Subject]:
    """Serve a Potato task of 23 items with one radio question."""
    folder.mkdir(parents=True, exist_ok=True)
    text = "Response A. " + "word " * 240 + "Response B. " + "word " * 240
    items = [json.dumps({"id": f"item{n}", "text": text}) for n in range(1, TRIALS + 1)]
    (folder / "items.jsonl").write_text("\n".join(items) + "\n")
    (folder / "config.yaml").write_text(
        textwrap.dedent("""\
        annotation_task_name: judge
        task_dir: .
        output_annotation_dir: annotation_output
        data_files: [items.jsonl]
        item_properties: {id_key: id, text_key: text}
        require_password: false
        user_config: {allow_all_users: true, users: []}
        max_annotations_per_user: 23
        max_annotations_per_item: -1
        assignment_strategy: fixed_order
        annotation_schemes:
          - annotation_type: radio
            name: judge
            description: Does Response B sound NORMAL or does SOMETHING SEEM OFF?
            labels: [NORMAL, SOMETHINGS_OFF]
        site_dir: default
        host: 127.0.0.1
        """)
    )
    command = [str(programs / "potato"), "start", "config.yaml", "-p", str(port)]
    with _served(command, folder, port, {}) as subject:
        yield subject


async def potato_scripts(subject: Subject, count: int) -> list[Iterator[bytes]]:
    """Log users in, and give what each of their pages sends for 23 answers."""
    cookies = []
    for n in range(count):
        line = await connect("127.0.0.1", subject.port)
        body = urlencode({"email": f"user{subject.port}{n}", "pass": "", "action": "login"}).encode()
        answer = await line.ask(request_bytes("POST", "/login", subject.host, body, _FORM))
        cookie = re.search(rb"set-cookie: ([^;]+)", answer.headers, re.IGNORECASE)
        if cookie is None:
            raise SystemExit(f"Potato gave no session: {answer.status}")
        cookies.append(cookie[1].decode())
        line.close()
        line = await connect("127.0.0.1", subject.port)  # the items are given out with the first page
        await line.ask(request_bytes("GET", "/annotate", subject.host, headers={"Cookie": cookies[-1]}))
        line.close()

    def script(cookie: str) -> Iterator[bytes]:
        for n in range(1, TRIALS + 1):
            answer = {"instance_id": f"item{n}", "annotations": {"judge:NORMAL": "NORMAL"}, "span_annotations": []}
            yield json_request("POST", "/updateinstance", subject.host, answer, {"Cookie": cookie})

    return [script(cookie) for cookie in cookies]


# ---- oTree --------------------------------------------------------------------------------------------------

_APP = """\
from otree.api import *

class C(BaseConstants):
    NAME_IN_URL = 'judge'
    PLAYERS_PER_GROUP = None
    NUM_ROUNDS = 23

class Subsession(BaseSubsession):
    pass

class Group(BaseGroup):
    pass

class Player(BasePlayer):
    response = models.StringField(choices=['NORMAL', 'SOMETHINGS_OFF'], widget=widgets.RadioSelect)

class Judge(Page):
    form_model = 'player'
    form_fields = ['response']

page_sequence = [Judge]
"""
_PAGE = """\
{{ block title }}Trial{{ endblock }}
{{ block content }}
<p>Response A. WORDS</p><p>Response B. WORDS</p>
{{ formfields }}
{{ next_button }}
{{ endblock }}
""".replace("WORDS", "word " * 240)
_OTREE = {"OTREE_PRODUCTION": "1", "OTREE_REST_KEY": "bench", "OTREE_ADMIN_PASSWORD": "bench"}


def otree_project(programs: Path, folder: Path) -> Path:
    """Make an oTree project of 23 rounds with one page, and its empty SQLite database."""
    project = folder / "project"
    environment = {**os.environ, **_OTREE, "PATH": f"{programs}:{os.environ['PATH']}"}
    if not project.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _quietly([str(programs / "otree"), "startproject", "project", "--noinput"], folder, environment)
        (project / "judge").mkdir()
        (project / "judge" / "__init__.py").write_text(_APP)
        (project / "judge" / "Judge.html").write_text(_PAGE)
        settings = (project / "settings.py").read_text()
        config = "SESSION_CONFIGS = [dict(name='judge', app_sequence=['judge'], num_demo_participants=1),"
        (project / "settings.py").write_text(settings.replace("SESSION_CONFIGS = [", config, 1))
    _quietly([str(programs / "otree"), "resetdb", "--noinput"], project, environment)
    return project


@contextmanager
def otree(programs: Path, folder: Path, port: int, *, fresh: bool = True) -> Iterator[Subject]:
    """Serve that project as oTree's own production server does, on SQLite; with an empty database unless told."""
    project = otree_project(programs, folder) if fresh else folder / "project"
    environment = {**_OTREE, "PATH": f"{programs}:{os.environ['PATH']}"}
    command = [str(programs / "otree"), "prodserver1of2", f"127.0.0.1:{port}"]
    with _served(command, project, port, environment) as subject:
        yield subject


async def otree_pages(subject: Subject, count: int) -> list[str]:
    """Begin a session for so many participants, and give the address of each one's first page."""
    line = await connect("127.0.0.1", subject.port)
    body = {"session_config_name": "judge", "num_participants": count}
    made = await line.ask(json_request("POST", "/api/sessions", subject.host, body, {"otree-rest-key": "bench"}))
    join = re.search(r"(/join/\w+)", made.body.decode())
    if join is None:
        raise SystemExit(f"oTree began no session: {made.body[:200]!r}")
    pages = []
    for _ in range(count):
        path = join[1]
        for _ in range(5):  # redirected from the link to the first page
            answer = await line.ask(request_bytes("GET", path, subject.host))
            location = re.search(rb"location: (\S+)", answer.headers, re.IGNORECASE)
            if location is None:
                break
            path = re.sub(r"^https?://[^/]+", "", location[1].decode())
        pages.append(path)
    line.close()
    return pages


async def otree_scripts(subject: Subject, count: int) -> list[Iterator[bytes]]:
    """Give what each participant's page sends for 23 answers: a form, without fetching the next page."""
    body = urlencode({"response": "NORMAL"}).encode()

    def script(first: str) -> Iterator[bytes]:
        base, _, number = first.rpartition("/")
        for n in range(TRIALS):
            yield request_bytes("POST", f"{base}/{int(number) + n}", subject.host, body, _FORM)

    return [script(page) for page in await otree_pages(subject, count)]


def _quietly(command: list[str], folder: Path, environment: dict[str, str]) -> None:
    subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)  # noqa: S603
