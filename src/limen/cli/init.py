"""`limen init`: a new study folder."""

from pathlib import Path
from typing import Annotated

import typer


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the study; made if it is not there.")],
    example: Annotated[bool, typer.Option("--example", help="Put the example log into DIR/logs.")] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The study's seed, in place of the protocol's.")
    ] = None,
    protocol: Annotated[str, typer.Option(help="The built-in protocol to start from.")] = "S3_EXP_003",
) -> None:
    """Make a study folder with a study.toml from a built-in protocol."""
    from limen.cli.console import out
    from limen.demo.example import example_log
    from limen.study.new import create_study

    created = create_study(folder, protocol=protocol, seed=seed, log=example_log() if example else None)
    console = out()
    for path in created:
        console.print(f"wrote {path}", markup=False)
    logs = f"{folder}/logs" if example else "LOG…"
    console.print(f"next: limen pairs {logs} --study {folder}", markup=False)
