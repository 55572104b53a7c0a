"""`limen backup`: a copy of the answers while the server goes on."""

from pathlib import Path
from typing import Annotated

import typer

from limen.cli.database import Database, Folder


def backup(
    folder: Folder,
    to: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The copy; by default DIR/backups/answers-TIME.sqlite.")
    ] = None,
    database: Database = None,
) -> None:
    """Copy all answers into one checked SQLite file. The server may go on meanwhile."""
    from limen.cli.console import WallClock, out
    from limen.cli.database import address_of
    from limen.storage.backup import back_up
    from limen.study.folder import StudyFolder

    study = StudyFolder(folder)
    study.read_protocol()
    copy = to or study.backups / f"answers-{WallClock().now():%Y%m%dT%H%M%SZ}.sqlite"
    back_up(address_of(study, database), copy)
    out().print(f"wrote {copy}", markup=False)
