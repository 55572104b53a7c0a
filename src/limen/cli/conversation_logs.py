"""`limen logs`: what is in logs, and logs in Limen's own format."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from limen.core.inventory import Inventory, Share
    from limen.core.log_problems import LogProblem
    from limen.logs.reading import LogFiles

logs = typer.Typer(name="logs", help="Look into conversation logs, or convert them.", no_args_is_help=True)

LogNames = Annotated[list[str], typer.Argument(metavar="LOG…", help="Files, folders or globs; - for standard input.")]
Workers = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Processes that read; one a core unless the logs are small.")
]
Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Let a Dask cluster read, such as tcp://10.0.0.1:8786.")
]

_NAMES_SHOWN = 15


@contextmanager
def opened(
    names: list[str], workers: int | None, scheduler: str | None, *, passes: int = 1, digests: bool = False
) -> Iterator["LogFiles"]:
    """Give the logs, with a bar that shows how far reading is, and with the hands that were asked for."""
    from limen.cli.console import progress
    from limen.logs.hands import hands_for
    from limen.logs.reading import LogFiles

    with closing(LogFiles(names=names, digests=digests)) as files:
        total = files.total_bytes()
        with hands_for(total, workers=workers, scheduler=scheduler) as hands:
            files.hands = hands
            with progress("reading logs", passes * total) as bar:
                files.on_bytes = lambda count: bar.advance(bar.task_ids[0], count)
                yield files


@logs.command()
def show(
    logs: LogNames,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON, for scripts.")] = False,
    workers: Workers = None,
    scheduler: Scheduler = None,
) -> None:
    """Show what is in logs. Conversations, replies, words, models, providers, languages, drift, and problems."""
    import json
    from functools import partial

    from limen.cli.console import out
    from limen.core.inventory import Inventory, take_stock
    from limen.study.protocol_file import built_in_protocol

    inventory = Inventory()
    with opened(logs, workers, scheduler) as files:
        for part in files.each(partial(take_stock, protocol=built_in_protocol())):
            inventory.add(part)
    if as_json:
        typer.echo(json.dumps(_as_json(inventory, files), indent=2, ensure_ascii=False))
        return
    console = out()
    _show(console, inventory, files)


@logs.command()
def convert(
    logs: LogNames,
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Where to; gzipped if it ends in .gz, - for standard output.")
    ],
    workers: Workers = None,
    scheduler: Scheduler = None,
) -> None:
    """Write logs of any format as one canonical log."""
    from rich.console import Console

    from limen.core.numerals import counted
    from limen.logs.writing import as_lines, canonical_log, refuse_own_input

    refuse_own_input(out, logs)
    reasons: Counter[str] = Counter()
    first: dict[str, LogProblem] = {}
    with opened(logs, workers, scheduler) as files, canonical_log(out) as log:
        for part in files.each(as_lines):
            log.write(part.lines)
            for problem in part.problems:
                reasons[problem.reason] += 1
                first.setdefault(problem.reason, problem)
    console = Console(stderr=True, highlight=False, soft_wrap=True)  # the log itself may go to standard output
    _show_problems(console, reasons, first)
    _show_skipped(console, files)
    conversations = sum(source.conversations for source in files.sources)
    console.print(f"wrote {counted(conversations, 'conversation')} to {out}", markup=False)


def _show(console: "Console", inventory: "Inventory", files: "LogFiles") -> None:
    from rich.table import Table

    from limen.core.numerals import counted

    whole = inventory.whole
    told = f"{counted(whole.conversations, 'conversation')} in {counted(len(files.sources), 'file')}"
    replies = f"{whole.replies:,} {'reply' if whole.replies == 1 else 'replies'}"
    console.print(f"{told}: {replies} of {counted(whole.words, 'word')}", markup=False)
    lengths = inventory.reply_lengths()
    if lengths:
        console.print(
            f"words a reply: {lengths['min']:,} to {lengths['max']:,}, median {lengths['median']:,}, "
            f"quartiles {lengths['q25']:,} and {lengths['q75']:,}"
        )
    if inventory.no_replies:
        kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(inventory.no_replies.items()))
        console.print(f"not counted, since they are no replies of a model: {kinds}", style="yellow", markup=False)
    console.print()
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in ("", "", "conversations", "replies", "words"):
        table.add_column(column, justify="right" if column else "left", overflow="fold")
    for kind, shares in _breakdowns(inventory):
        for name, share in shares:
            table.add_row(kind, name, f"{share.conversations:,}", f"{share.replies:,}", f"{share.words:,}")
            kind = ""  # noqa: PLW2901 - said once a group
    console.print(table)
    console.print()
    _show_drift(console, inventory)
    _show_problems(console, inventory.problems, inventory.first_problems)
    _show_skipped(console, files)


def _breakdowns(inventory: "Inventory") -> Iterator[tuple[str, list[tuple[str, "Share"]]]]:
    """Give models, providers and languages, the most frequent first; of many, the rest as one."""
    from limen.core.inventory import Share

    for kind, shares in (
        ("model", inventory.models),
        ("provider", inventory.providers),
        ("language", inventory.languages),
    ):
        ranked = sorted(shares.items(), key=lambda named: (-named[1].conversations, named[0]))
        rest = Share()
        for _, share in ranked[_NAMES_SHOWN:]:
            rest.add(share)
        more = [(f"{len(ranked) - _NAMES_SHOWN} more", rest)] if rest.conversations else []
        yield kind, [*ranked[:_NAMES_SHOWN], *more]


def _show_drift(console: "Console", inventory: "Inventory") -> None:
    from rich.table import Table

    if not inventory.drift:
        console.print("drift: none recorded; `limen pairs --metric …` measures it")
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("drift")
    for column in ("conversations", "replies", "min", "q25", "median", "q75", "max"):
        table.add_column(column, justify="right")
    for metric, recorded in sorted(inventory.drift.items()):
        summary = recorded.observed.summary()
        numbers = [f"{summary[name]:.3f}" for name in ("min", "q25", "median", "q75", "max")] if summary else ["–"] * 5
        table.add_row(metric, f"{recorded.conversations:,}", f"{recorded.observed.n:,}", *numbers)
    console.print(table)


def _show_problems(console: "Console", reasons: Mapping[str, int], first: Mapping[str, "LogProblem"]) -> None:
    for reason, count in sorted(reasons.items()):
        where = f"{first[reason].file}, {first[reason].record}"
        console.print(f"{count:,} × {reason} (first: {where})", markup=False, style="yellow")


def _show_skipped(console: "Console", files: "LogFiles") -> None:
    if files.skipped:
        console.print(f"not logs: {', '.join(files.skipped)}", markup=False, style="dim")


def _as_json(inventory: "Inventory", files: "LogFiles") -> dict[str, Any]:
    from dataclasses import asdict

    def by_name(shares: Mapping[str, "Share"]) -> dict[str, Any]:
        return {name: asdict(share) for name, share in sorted(shares.items())}

    return {
        **asdict(inventory.whole),
        "words_per_reply": inventory.reply_lengths(),
        "no_replies": dict(sorted(inventory.no_replies.items())),
        "models": by_name(inventory.models),
        "providers": by_name(inventory.providers),
        "languages": by_name(inventory.languages),
        "drift": {
            metric: {"conversations": recorded.conversations, **recorded.observed.summary()}
            for metric, recorded in sorted(inventory.drift.items())
        },
        "problems": [
            {"reason": reason, "count": count, "first": asdict(inventory.first_problems[reason])}
            for reason, count in sorted(inventory.problems.items())
        ],
        "files": [
            {"name": source.name, "conversations": source.conversations, "problems": source.problems}
            for source in files.sources
        ],
        "not_logs": files.skipped,
    }
