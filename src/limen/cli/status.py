"""`limen status`: how many and how far, never anything by condition."""

from typing import Annotated

import typer

from limen.cli.database import Database, Folder

_STEPS = {
    "landed": "opened the page",
    "consented": "agreed",
    "declined": "did not agree",
    "screened_out": "did not qualify",
    "screened_in": "qualified",
    "started": "saw trial 1",
    "finished": "finished",
    "stopped": "stopped early, answers kept",
    "withdrawn": "withdrew, answers deleted",
}


def status(
    folder: Folder,
    database: Database = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON, for scripts.")] = False,
) -> None:
    """Print how many came and how far they are. Never anything by condition."""
    import json
    from dataclasses import asdict

    from limen.cli.console import WallClock, out
    from limen.cli.database import address_of
    from limen.core.sessions import Mode
    from limen.storage.glance import glance
    from limen.study.folder import StudyFolder
    from limen.workflow.oversee import nothing_yet, oversee

    study = StudyFolder(folder)
    protocol = study.read_protocol()
    now = WallClock().now()
    found = glance(address_of(study, database), lambda reading: oversee(reading, protocol, now))
    overview = found or nothing_yet(protocol)
    made = study.read_metadata() if study.pairs_file.is_file() else None
    if as_json:
        drift = {"metric": made.metric if made else None, "metric_standing": made.metric_standing if made else None}
        typer.echo(json.dumps(asdict(overview) | drift, default=str, indent=2))
        return
    console = out()
    live = overview.of(Mode.LIVE)
    console.print(f"{protocol.study.protocol}: {live.in_hand} of {overview.target_raters} raters have finished")
    if made and made.metric_standing:
        console.print(f"{made.metric}: {made.metric_standing}", markup=False, style="yellow")
    modes = overview.in_use(Mode.LIVE)
    console.print(f"{'':30}" + "".join(f"{mode.mode:>11}" for mode in modes), style="bold")
    for field, label in _STEPS.items():
        console.print(f"{label:30}" + "".join(f"{getattr(mode, field):>11}" for mode in modes))
    for mode in modes:
        if mode.from_files:
            console.print(
                f"{mode.from_files} of {mode.mode} came as files: how many opened that page, agreed or declined "
                "is not known"
            )
        for one in mode.under_way:
            console.print(
                f"under way ({mode.mode}): {one.participant}, {one.stage}, {one.answered} of {one.trial_count} "
                f"answered, last heard {one.last_heard:%Y-%m-%d %H:%M} UTC",
                markup=False,
            )
        for participant, text in mode.comments:
            plain = "".join(character if character.isprintable() else " " for character in text)
            console.print(f"comment ({mode.mode}, {participant}): {plain}", markup=False)
