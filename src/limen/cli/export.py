"""`limen export`: the stored answers as CSV, or counted, before anything is excluded."""

from pathlib import Path
from typing import Annotated

import typer

from limen.cli.database import Database, Folder


def export(
    folder: Folder,
    to: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="The CSV file; by default DIR/results/trials.csv.")
    ] = None,
    mode: Annotated[str, typer.Option(help="live, pilot, preview or simulated; these are never pooled.")] = "live",
    counts: Annotated[
        bool, typer.Option("--counts", help="Print how often each condition was answered how, and write nothing.")
    ] = False,
    database: Database = None,
) -> None:
    """Write every stored trial as CSV. It names conditions, and so unblinds; the server may go on meanwhile."""
    import json
    from dataclasses import asdict

    from limen.cli.console import out
    from limen.cli.database import address_of
    from limen.core.sessions import Mode
    from limen.dataset.export_file import exported
    from limen.dataset.output import write_file
    from limen.errors import InputError, NotReadyError
    from limen.storage.store import read_store
    from limen.study.folder import StudyFolder
    from limen.workflow.answers import joined_trials
    from limen.workflow.export import count_by_condition
    from limen.workflow.ports import Reading

    if mode not in set(Mode):
        raise InputError(f"--mode {mode}: expected one of {', '.join(Mode)}")
    study = StudyFolder(folder)
    stimuli, wanted = study.read_stimuli(), Mode(mode)
    address = address_of(study, database)
    nothing = NotReadyError(f"{folder}: no answers of mode {mode} are stored; `limen serve {folder}` takes them in")
    if counts:
        found = read_store(address, lambda reading: count_by_condition(reading, stimuli, wanted))
        if found is None or not any(count.n for count in found.values()):
            raise nothing
        typer.echo(json.dumps({name: asdict(count) for name, count in found.items()}, indent=2))
        return
    file = to or study.path / "results" / "trials.csv"

    def write(reading: Reading) -> bool:
        if not any(reading.stimulus_digests(wanted).values()):
            return False
        write_file(file, exported(joined_trials(reading, stimuli, wanted), mode))
        return True

    if not read_store(address, write):
        raise nothing
    out().print(f"wrote {file}", markup=False)
