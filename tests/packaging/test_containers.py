"""The Dockerfile and compose.yaml, read step by step: no container engine runs here, so what they name must exist."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import typer
import yaml

from limen.cli.main import command_line

ROOT = Path(__file__).parents[2]
KNOWN = {"FROM", "WORKDIR", "COPY", "RUN", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"}


def _instructions() -> list[tuple[str, str]]:
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    lines = filter(None, re.sub(r"\\\n\s*", "", text).splitlines())
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def _compose() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))


def _limen_options(command: str) -> set[str]:
    group: Any = typer.main.get_command(command_line())
    return {option for parameter in group.commands[command].params for option in parameter.opts}


def test_every_instruction_is_known_and_every_stage_that_is_copied_from_exists() -> None:
    steps = _instructions()
    assert {word for word, _ in steps} <= KNOWN
    assert steps[0][0] == "FROM"
    stages = [found[1] for word, rest in steps if word == "FROM" and (found := re.search(r" AS (\w+)$", rest))]
    used = [found[1] for word, rest in steps if word == "COPY" and (found := re.match(r"--from=(\w+) ", rest))]
    assert set(used) == set(stages) == {"page", "wheel"}


def test_every_source_that_is_copied_exists_and_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    copied = []
    for word, rest in _instructions():
        if word == "COPY" and not rest.startswith("--from"):
            *sources, _target = shlex.split(rest)
            copied += sources
    assert {"page", "src", "requirements.lock"} <= set(copied)
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source not in ignored


def test_the_page_is_built_before_the_wheel_that_holds_it() -> None:
    steps = _instructions()
    built = next(k for k, step in enumerate(steps) if step == ("RUN", "scripts/build-page"))
    taken = next(k for k, (_, rest) in enumerate(steps) if rest.startswith("--from=page /limen/src/limen/survey/built"))
    wheel = next(k for k, (_, rest) in enumerate(steps) if "hatchling build -t wheel" in rest)
    assert built < taken < wheel
    assert (ROOT / "scripts" / "build-page").stat().st_mode & 0o111


def test_the_bounds_made_from_the_lock_are_plain_pins() -> None:
    run = next(rest for word, rest in _instructions() if word == "RUN" and "requirements.lock" in rest)
    edit = shlex.split(run.partition(" > ")[0])
    assert edit[0] == "sed"
    said = subprocess.run(edit, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    pins = [line for line in said if line.strip() and not line.lstrip().startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==\S+( ; .+)?", pin) for pin in pins)
    assert {"hatchling", "psycopg", "psycopg-binary", "starlette"} <= {pin.partition("=")[0] for pin in pins}


def test_the_command_and_its_options_are_limens() -> None:
    steps = dict(_instructions())
    assert json.loads(steps["ENTRYPOINT"]) == ["limen"]
    command, folder, *options = json.loads(steps["CMD"])
    assert command == "serve"
    assert folder == steps["VOLUME"] == "/study"
    assert {option for option in options if option.startswith("--")} <= _limen_options("serve")
    port = options[options.index("--port") + 1]
    assert port == steps["EXPOSE"]
    health = re.search(r"CMD (\[.*\])$", steps["HEALTHCHECK"])
    assert health is not None
    *_, script = json.loads(health[1])
    compile(script, "healthcheck", "exec")
    assert f"127.0.0.1:{port}/readyz" in script


def test_compose_builds_this_image_and_gives_it_the_database() -> None:
    services = _compose()["services"]
    survey, database = services["survey"], services["database"]
    assert survey["build"] == "."
    assert survey["depends_on"]["database"]["condition"] == "service_healthy"
    assert database["healthcheck"]["test"][:2] == ["CMD", "pg_isready"]
    address = survey["environment"]["LIMEN_DATABASE"]
    user, name = (database["environment"][key] for key in ("POSTGRES_USER", "POSTGRES_DB"))
    assert address == f"postgresql://{user}:${{LIMEN_PASSWORD}}@database/{name}"
    assert set(_compose()["volumes"]) == {volume.partition(":")[0] for volume in database["volumes"]}
    assert survey["volumes"] == ["${LIMEN_STUDY:-./study}:/study"]
    assert survey["ports"] == ["127.0.0.1:8000:8000"]
    (envvar,) = {p.envvar for p in _serve().params if "--database" in p.opts}
    assert envvar in survey["environment"]


def _serve() -> Any:
    group: Any = typer.main.get_command(command_line())
    return group.commands["serve"]
