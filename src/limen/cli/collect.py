"""`limen collect`: the files of static pages taken in."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen.cli.database import Database, Folder

if TYPE_CHECKING:
    from limen.workflow.collect import Collected


def collect(
    folder: Folder,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="responses_….json, as participants sent them.")],
    database: Database = None,
) -> None:
    """Take in the answers of static pages. Twice is once; what does not belong to this study is refused."""
    from functools import partial

    from limen.cli.console import WallClock, out
    from limen.cli.database import address_of
    from limen.core.numerals import counted
    from limen.errors import DataError
    from limen.storage.store import open_store
    from limen.study.folder import StudyFolder
    from limen.study.key_file import read_keys
    from limen.web.submissions import decode_submission
    from limen.workflow.collect import take_in
    from limen.workflow.served import refuse_other_stimuli, serve_study

    study = StudyFolder(folder)
    served = serve_study(study.read_protocol(), study.read_stimuli(), live=True)
    keys = read_keys(study.static_key_file)
    if not keys:
        raise DataError(f"{study.static_key_file}: no such file, so no page was made here; `limen page` makes one")
    now = WallClock().now()
    console = out()
    refused = 0
    with open_store(address_of(study, database)) as store:
        store.read(lambda reading: refuse_other_stimuli(reading, served))
        for file in files:
            try:
                submission = decode_submission(_read(file))
                found = store.submit(partial(take_in, study=served, keys=keys, submission=submission, now=now)).result()
            except DataError as problem:
                refused += 1
                console.print(f"{file}: refused: {problem}", markup=False, style="yellow")
            else:
                console.print(f"{file}: {_said(found)}", markup=False)
    if refused:
        others = "the others were taken in" if refused < len(files) else "nothing was taken in"
        raise DataError(f"{refused} of {counted(len(files), 'file')} refused; {others}")


def _read(file: Path) -> bytes:
    from limen.errors import DataError

    try:
        return file.read_bytes()
    except OSError as problem:
        raise DataError(f"cannot be read ({problem.strerror})") from problem


def _said(found: "Collected") -> str:
    from limen.core.numerals import counted

    if found.participant is None:
        return "withdrawn before, so left out"
    parts = [f"{found.participant}: {counted(found.added, 'answer')} added, {found.known} known"]
    if found.different:
        parts.append(f"{found.different} answered differently before, and the first stays")
    if found.plan_shared:
        parts.append("its plan was answered by someone else too: flagged")
    return "; ".join(parts)
