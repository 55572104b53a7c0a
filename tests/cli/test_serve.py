"""`limen serve` and what one does beside it, as real processes."""

import gc
import json
import logging
import os
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from commands import a_server, begin, limen
from limen.cli.main import run
from limen.cli.serving import Serving
from limen.core.sessions import Mode
from limen.storage.store import open_store, read_store
from studies import an_answer

Announced = Callable[..., list[str]]


@pytest.fixture
def study(example_study: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(example_study, tmp_path / "study"))


def answer_all(client: httpx.Client, token: str) -> str:
    for n in (1, 2):
        assert client.put(f"/api/sessions/{token}/practice/{n}", json=an_answer()).status_code == 201
    for n in range(1, 24):
        assert client.put(f"/api/sessions/{token}/trials/{n}", json=an_answer()).status_code == 201
    return str(client.put(f"/api/sessions/{token}/completion", json={}).json()["withdrawal_code"])


def test_a_study_is_served_watched_copied_withdrawn_from_and_stopped(study: Path, tmp_path: Path) -> None:
    assert limen("status", study).out.startswith("S3_EXP_003: 0 of 10 raters have finished")
    with a_server(study) as server, httpx.Client(base_url=server.participants, timeout=20) as client:
        client.post("/api/counts", json={"what": "landed"})
        code = answer_all(client, begin(client))
        other = begin(client)
        page = client.get(server.researcher)
        assert page.status_code == 200
        assert re.search(r"<strong>1</strong> of 10 raters have finished", page.text)
        key = study / "researcher.key"
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        assert server.researcher.endswith(key.read_text().strip())

        status = limen("status", study)
        assert status.out.startswith("S3_EXP_003: 1 of 10 raters have finished")
        assert "P002, practice, 0 of 23 answered" in status.out
        numbers = json.loads(limen("status", study, "--json").out)
        live = next(mode for mode in numbers["modes"] if mode["mode"] == "live")
        assert (live["landed"], live["screened_in"], live["finished"]) == (1, 2, 1)
        assert not re.search(r"BASE|CAT|NORMAL|OFF|condition", status.out + json.dumps(numbers))

        copy = tmp_path / "copy.sqlite"
        assert limen("backup", study, "--out", copy).code == 0
        again = limen("backup", study, "--out", copy)
        assert (again.code, again.err.count("\n")) == (2, 1)
        assert limen("backup", study).code == 0
        assert len(list((study / "backups").iterdir())) == 1

        assert limen("withdraw", study, f"{server.participants}/withdraw/{code.upper()}").code == 0
        assert "deleted before" in limen("withdraw", study, code).out
        unknown = limen("withdraw", study, "nonsense")
        assert (unknown.code, unknown.err.count("\n")) == (2, 1)
        assert client.put(f"/api/sessions/{other}/practice/1", json=an_answer()).status_code == 201
        assert server.terminate() == 0
    after = read_store(f"sqlite:///{study / 'answers.sqlite'}", lambda reading: reading.sessions(Mode.LIVE))
    assert after is not None
    assert [(session.participant, session.practiced) for session in after] == [("P002", 1)]
    with open_store(f"sqlite:///{copy}") as store:
        assert [s.answered for s in store.read(lambda reading: reading.sessions(Mode.LIVE))] == [23, 0]


def test_the_secret_stays_and_a_second_server_is_refused(study: Path) -> None:
    (study / "researcher.key").write_text("x" * 30)
    os.chmod(study / "researcher.key", 0o644)  # noqa: PTH101
    with a_server(study) as server:
        assert server.researcher.endswith("/status/" + "x" * 30)
        assert stat.S_IMODE((study / "researcher.key").stat().st_mode) == 0o600
        second = limen("serve", study, "--port", 0, "--page-file", study / "page.html")
        assert (second.code, second.err.count("\n")) == (2, 1)
        assert "another server has it open" in second.err
        assert (study / "server.address").read_text().strip() == server.participants
        taken = server.participants.rpartition(":")[2]
        pilot = study.parent / "pilot"
        shutil.copytree(study, pilot, ignore=shutil.ignore_patterns("answers*"))
        busy = limen("serve", pilot, "--port", taken, "--page-file", study / "page.html")
        assert (busy.code, "choose another --port" in busy.err) == (2, True)


def test_a_server_that_is_stopped_goes_on_where_it_was(study: Path) -> None:
    with a_server(study) as server, httpx.Client(base_url=server.participants, timeout=20) as client:
        token = begin(client)
        client.put(f"/api/sessions/{token}/practice/1", json=an_answer())
        assert server.terminate() == 0
    with a_server(study) as server, httpx.Client(base_url=server.participants, timeout=20) as client:
        state = client.get(f"/api/sessions/{token}", params={"tab": "tab-1"}).json()
        assert (state["next_practice"], state["lease"]) == (2, True)


def test_a_study_that_is_not_ready_is_served_as_a_pilot_only(study: Path) -> None:
    pairs = study / "stimuli" / "extreme_pairs.json"
    content = json.loads(pairs.read_text())
    content["pairs"] = content["pairs"][:-3]
    pairs.write_text(json.dumps(content))
    refused = limen("serve", study, "--port", 0, "--page-file", study / "page.html")
    assert (refused.code, refused.err.count("\n")) == (3, 1)
    assert "limen check" in refused.err
    assert "--pilot" in refused.err
    with a_server(study, "--pilot") as server, httpx.Client(base_url=server.participants, timeout=20) as client:
        for page in (client.get("/").text, client.get("/pilot").text):
            assert '"mode":"pilot"' in page
            assert '"trial_count":20' in page


@pytest.fixture
def announced(study: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Announced]:
    """Give what a server prints before it answers its first request; it is ended there."""
    monkeypatch.setattr(Serving, "_answer", lambda *_: None)

    def announce(*options: str) -> list[str]:
        with pytest.raises(SystemExit) as ended:
            run(["serve", str(study), "--port", "0", "--page-file", str(study / "page.html"), *options])
        assert ended.value.code == 0
        said = capsys.readouterr()
        return (said.out + said.err).splitlines()

    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield announce
    root.handlers[:] = handlers  # the server's writes to what is closed after this test
    root.setLevel(level)
    gc.enable()  # the server turns it off on the way to its first request


def test_a_pilot_is_told_apart_by_its_link_and_in_words(announced: Announced) -> None:
    told = "this is a pilot: its answers are kept apart from those of the study"
    pilot, live = announced("--pilot"), announced()
    assert re.fullmatch(r"participants  http://127\.0\.0\.1:\d+/pilot", pilot[0])
    assert re.fullmatch(r"participants  http://127\.0\.0\.1:\d+/", live[0])
    assert (told in pilot, told in live) == (True, False)


def test_a_server_of_this_machine_says_who_can_open_its_links(announced: Announced) -> None:
    (told,) = (line for line in announced() if "--host 0.0.0.0" in line)
    assert told.startswith("only this machine opens these links")
    assert "docs/how-to/behind-nginx.md" in told
    assert [line for line in announced("--host", "0.0.0.0") if "only this machine" in line] == []  # noqa: S104


@pytest.mark.parametrize(("ahead_s", "said"), [(31.2, "31 s ahead of"), (-5.0, "5 s behind"), (1.5, None)])
def test_a_machine_whose_clock_is_not_that_of_the_database_is_told(
    new_postgres_database: Callable[[], str],
    announced: Announced,
    monkeypatch: pytest.MonkeyPatch,
    ahead_s: float,
    said: str | None,
) -> None:
    now = time.time
    monkeypatch.setattr("limen.storage.engines.time.time", lambda: now() + ahead_s)
    warned = [line for line in announced("--database", new_postgres_database()) if line.startswith("warning: ")]
    assert len(warned) == (said is not None)
    assert all(f"this machine's clock is {said} the database's" in line for line in warned)


def test_a_short_pilot_names_the_trials_of_its_attention_checks(study: Path, announced: Announced) -> None:
    pairs = study / "stimuli" / "extreme_pairs.json"
    content = json.loads(pairs.read_text())
    pairs.write_text(json.dumps({**content, "pairs": content["pairs"][:10]}))
    assert "13 trials are too few for attention checks at 7, 14, 20: they stand at 7, 12, 13" in announced("--pilot")


def test_live_sessions_keep_their_stimuli(study: Path) -> None:
    with a_server(study) as server, httpx.Client(base_url=server.participants, timeout=20) as client:
        begin(client)
    pairs = study / "stimuli" / "extreme_pairs.json"
    content = json.loads(pairs.read_text())
    content["pairs"][0]["context"] = "A discussion about something else."
    pairs.write_text(json.dumps(content))
    refused = limen("serve", study, "--port", 0, "--page-file", study / "page.html")
    assert (refused.code, "other stimuli" in refused.err) == (2, True)


def test_a_page_that_is_not_built_is_told_in_one_line(study: Path) -> None:
    refused = limen("serve", study, "--page-file", study / "none.html")
    assert (refused.code, refused.err.count("\n")) == (3, 1)
    assert "run scripts/build-page" in refused.err


def test_commands_on_what_is_no_study_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (("serve",), ("status",), ("withdraw", "x"), ("backup",), ("collect", "x.json")):
        command, *rest = arguments
        with pytest.raises(SystemExit) as ended:
            run([command, str(tmp_path / "none"), *rest])
        assert ended.value.code == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_status_loads_no_numbers_package(study: Path) -> None:
    with open_store(f"sqlite:///{study / 'answers.sqlite'}"):
        pass
    script = (
        "import sys; from limen.cli.main import command_line; app = command_line()\n"
        f"app(['status', {str(study)!r}], standalone_mode=False)\n"
        "heavy = {'sqlalchemy', 'numpy', 'scipy', 'pandas', 'matplotlib', 'alembic', 'starlette', 'uvicorn'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip().endswith("[]")
