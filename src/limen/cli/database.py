"""Which database a command works on."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from limen.study.folder import StudyFolder

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The study folder.")]
Database = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        envvar="LIMEN_DATABASE",
        help="postgresql://… in place of the file.",
        show_default=False,
    ),
]
PageFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Another built page than Limen's own, such as one you work on.")
]


def address_of(study: "StudyFolder", database: str | None) -> str:
    """Give the address of the database: the one asked for, or the file in the study folder."""
    return database or f"sqlite:///{study.answers_file}"
