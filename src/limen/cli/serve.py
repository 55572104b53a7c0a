"""`limen serve`: the survey on a server."""

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen.cli.database import Database, Folder, PageFile
from limen.cli.logs import LogFormat

if TYPE_CHECKING:
    from limen.cli.serving import Serving
    from limen.core.protocol import Protocol
    from limen.core.stimuli import StimulusSet
    from limen.study.folder import StudyFolder
    from limen.workflow.ports import Secrets
    from limen.workflow.served import ServedStudy


def serve(
    folder: Folder,
    host: Annotated[str, typer.Option(help="Where to listen; 0.0.0.0 for everyone on the network.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Where to listen; 0 takes a free port.")
    ] = 8000,
    database: Database = None,
    pilot: Annotated[bool, typer.Option("--pilot", help="Serve a pilot: a study that is not ready, too.")] = False,
    workers: Annotated[
        int, typer.Option(metavar="N", min=1, max=64, help="How many processes; more than 1 on PostgreSQL only.")
    ] = 1,
    sessions_per_minute: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="How many sessions one address may begin in a minute; 0 sets no bound."),
    ] = 600,
    log_format: Annotated[LogFormat, typer.Option(help="auto: text on a terminal, else JSON lines.")] = LogFormat.AUTO,
    log_requests: Annotated[
        bool, typer.Option("--log-requests", help="Log every request, without who sent it.")
    ] = False,
    page_file: PageFile = None,
) -> None:
    """Serve the survey and take in answers, until Ctrl-C. Prints a link for participants and a secret one for you."""
    gc.disable()  # what is made on the way to the first page stays; `limen.web.server` turns the collector on again
    from limen.cli.console import out
    from limen.cli.database import address_of
    from limen.cli.logs import begin_log
    from limen.errors import InputError
    from limen.study.folder import StudyFolder
    from limen.workflow.served import serve_study

    begin_log(log_format, requests=log_requests)
    study = StudyFolder(folder)
    protocol, stimuli = study.read_protocol(), study.read_stimuli()
    if not pilot:
        refuse_unready(protocol, stimuli, folder)
    address = address_of(study, database)
    if workers > 1 and address.startswith("sqlite"):
        raise InputError(f"--workers {workers}: an SQLite file has one writing process; give --database postgresql://…")
    served = serve_study(protocol, stimuli, live=not pilot)
    serving_of(study, served, database, page_file, sessions_per_minute).run(host, port, workers)
    out().print("stopped; every answer that was acknowledged is stored")


def serving_of(
    study: "StudyFolder",
    served: "ServedStudy",
    database: str | None,
    page_file: Path | None,
    sessions_per_minute: int = 600,
) -> "Serving":
    """Put together what serving a study folder needs."""
    from limen.cli.console import SystemSecrets
    from limen.cli.database import address_of
    from limen.cli.serving import Serving
    from limen.survey.page import read_built_page

    secrets = SystemSecrets()
    return Serving(
        study=served,
        built_page=read_built_page(page_file),
        researcher_secret=researcher_secret(study.researcher_key_file, secrets),
        secrets=secrets,
        database=address_of(study, database),
        answers="PostgreSQL" if database else str(study.answers_file),
        address_file=study.address_file,
        sessions_per_minute=sessions_per_minute,
    )


def refuse_unready(protocol: "Protocol", stimuli: "StimulusSet", folder: Path) -> None:
    """Raise NotReadyError when the audit or a person found what must be mended before real participants come."""
    from limen.core.audit import audit, problems_among
    from limen.errors import NotReadyError
    from limen.study.folder import StudyFolder

    found, study = audit(protocol, stimuli), StudyFolder(folder)
    if study.decisions_file.exists():
        from limen.core.review import review_findings

        found += tuple(review_findings(stimuli, study.read_review()))
    problems = problems_among(found)
    if problems:
        first = problems[0]
        raise NotReadyError(
            f"{len(problems)} to mend before participants come (first: {first.subject}: {first.text}); "
            f"`limen check {folder}` says how, --pilot goes on without"
        )


def researcher_secret(path: Path, secrets: "Secrets") -> str:
    """Give the secret of the researcher's link; made once, readable by its owner only."""
    from limen.errors import StudyFolderError

    try:
        try:
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            path.chmod(0o600)
        else:
            with os.fdopen(file, "w") as new:
                new.write(secrets.token() + "\n")
        secret = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise StudyFolderError(f"{path}: cannot be used ({problem}); check its rights, or delete it") from problem
    if len(secret) < 22:
        raise StudyFolderError(f"{path}: holds no secret; delete it, and the next start makes one")
    return secret
