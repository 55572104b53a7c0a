"""`limen pairs`: from logs to a balanced, blinded set of pairs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen.cli.conversation_logs import LogNames, Scheduler, Workers, opened
from limen.cli.database import Database
from limen.cli.metrics import CacheOption, EndpointOption, open_shelf

if TYPE_CHECKING:
    from rich.console import Console

    from limen.core.protocol import Protocol
    from limen.study.folder import StudyFolder
    from limen.workflow.preparation import Preparation, PrepareOptions


def pairs(
    logs: LogNames,
    study: Annotated[Path, typer.Option(metavar="DIR", help="The study folder.")],
    *,
    metric: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Take drift of this metric, or measure with it, in place of study.toml's."),
    ] = None,
    metric_name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What the drift is called in logs that do not say.")
    ] = None,
    providers: Annotated[
        Path | None, typer.Option(metavar="FILE", help="CSV with id,provider for logs that do not say.")
    ] = None,
    thresholds: Annotated[
        str | None,
        typer.Option(metavar="NAME=X,…", help="Other thresholds: BASELINE=0.1,CATASTROPHIC=0.6,WARNING=0.2-0.4."),
    ] = None,
    quantiles: Annotated[
        str | None,
        typer.Option(metavar="NAME=X,…", help="Thresholds at observed quantiles: BASELINE=0.1,CATASTROPHIC=0.9."),
    ] = None,
    endpoint: EndpointOption = None,
    cache: CacheOption = None,
    require_complete: Annotated[
        bool, typer.Option("--require-complete", help="Exit with code 3 when a slot stays empty.")
    ] = False,
    anew: Annotated[
        bool, typer.Option("--replace", help="Replace pairs that people have answered; a copy of them is kept.")
    ] = False,
    database: Database = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
) -> None:
    """Choose the pairs of a study from conversation logs."""
    from dataclasses import replace

    from limen.cli.console import out
    from limen.study.folder import StudyFolder
    from limen.workflow.prepare import prepare_pairs

    folder = StudyFolder(study)
    protocol = folder.read_protocol()
    replaced = _look_before_replacing(folder, database, anew=anew)
    options = _options(protocol, metric, metric_name, providers, thresholds, quantiles)
    options = replace(options, review=folder.read_review())
    passes = 2 if options.quantiles else 1
    with (
        open_shelf(folder.lexicons, endpoint, cache) as shelf,
        opened(logs, workers, scheduler, passes=passes, digests=True) as files,
    ):
        preparation = prepare_pairs(protocol, files, shelf, options)
    kept = folder.keep_stimuli(replaced.digest) if anew and replaced else None
    written = write_preparation(folder, preparation)
    console = out()
    _show(console, preparation, files.skipped)
    for remark in shelf.remarks():
        console.print(remark, markup=False, style="yellow")
    if replaced and replaced.answered:
        console.print(f"{replaced.answered} to the old pairs", markup=False, style="yellow")
    if kept is not None:
        console.print(f"kept the old pairs in {kept}", markup=False)
    for path in written:
        console.print(f"wrote {path}", markup=False)
    if preparation.stimuli.complete:
        console.print(f"next: limen review {study}, then limen check {study}", markup=False)
        return
    console.print(f"next: limen check {study}, which says how to fill or lower the empty slots", markup=False)
    if require_complete:
        raise typer.Exit(3)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Replaced:
    """The set of pairs that stands where the new one goes, and in words whose answers belong to it."""

    digest: str
    answered: str


def _look_before_replacing(folder: "StudyFolder", database: str | None, *, anew: bool) -> _Replaced | None:
    """Refuse to replace pairs that are being served or that people answered; None where nothing is replaced."""
    from limen.cli.simulate import running_server
    from limen.errors import NotReadyError

    address = running_server(folder)
    if address is not None:
        raise NotReadyError(f"{folder.path}: is being served at {address}; stop that server, then make pairs anew")
    answers = database is not None or folder.answers_file.is_file()
    if not folder.pairs_file.is_file() or not (answers or anew):
        return None
    digest = folder.read_stimuli().digest()
    if not answers:
        return _Replaced(digest=digest, answered="")
    from limen.cli.database import address_of
    from limen.storage.store import read_store
    from limen.workflow.replace import belonging, refuse_replacing, sessions_shown

    shown = read_store(address_of(folder, database), lambda reading: sessions_shown(reading, digest)) or {}
    if not anew:
        refuse_replacing(shown, str(folder.stimuli))
    return _Replaced(digest=digest, answered=belonging(shown) if shown else "")


def write_preparation(folder: "StudyFolder", preparation: "Preparation") -> tuple[Path, ...]:
    """Write the finished material, for the study and for review; give the files written."""
    from limen.cli.console import SystemClock
    from limen.study.folder import write_whole
    from limen.study.pairs_file import encode_candidates, encode_checks, encode_pairs
    from limen.study.review_file import review_text

    files = {
        folder.pairs_file: encode_pairs(preparation, SystemClock().now()),
        folder.checks_file: encode_checks(preparation.stimuli),
        folder.review_file: review_text(preparation.stimuli).encode(),
    }
    write_whole(folder.candidates_file, encode_candidates(preparation.stimuli, preparation.candidates))
    for place, data in files.items():
        write_whole(place, data)
    return tuple(files)


def _options(
    protocol: "Protocol",
    metric: str | None,
    metric_name: str | None,
    providers: Path | None,
    thresholds: str | None,
    quantiles: str | None,
) -> "PrepareOptions":
    from limen.cli.bounds import read_ranges, read_shares
    from limen.logs.providers import read_providers
    from limen.study.protocol_file import built_in_protocol
    from limen.workflow.preparation import PrepareOptions

    return PrepareOptions(
        metric=metric,
        metric_name=metric_name,
        providers=read_providers(providers) if providers else {},
        thresholds=read_ranges(protocol, thresholds, "--thresholds"),
        quantiles=read_shares(protocol, quantiles, "--quantiles"),
        built_in=built_in_protocol(),
    )


def _show(console: "Console", preparation: "Preparation", skipped: list[str]) -> None:
    from rich.table import Table

    from limen.cli.console import show_problems
    from limen.core.numerals import counted
    from limen.core.pair import cell_of

    protocol, stimuli = preparation.protocol, preparation.stimuli
    read = f"{counted(preparation.conversations, 'conversation')} from {counted(len(preparation.sources), 'file')}"
    console.print(f"read {read}; {preparation.observed.sentence()}", markup=False)
    if skipped:
        console.print(f"not logs: {', '.join(skipped)}", markup=False, style="dim")
    show_problems(console, preparation.problems)
    if preparation.left_out:
        console.print(
            f"{counted(preparation.left_out, 'conversation')} left out by [selection] or in review", markup=False
        )
    if preparation.without_provider:
        what = f"{counted(preparation.without_provider, 'conversation')} of unknown provider, which fill no quota"
        console.print(f"{what}; --providers FILE can name them", markup=False, style="yellow")
    for sentence in preparation.unused:
        console.print(sentence, markup=False, style="yellow")
    if stimuli.standing:
        console.print(f"{stimuli.metric}: {stimuli.standing}", markup=False, style="yellow")
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("condition")
    cells = list(dict.fromkeys(cell for c in protocol.conditions for cell in protocol.quota_of(c) or {"any": 0}))
    for name in ("drift", *cells, "pairs"):
        table.add_column(name, justify="right")
    for condition in protocol.conditions:
        quota = protocol.quota_of(condition) or {"any": condition.count}
        found = [s.pair for s in stimuli.stimuli if s.pair.condition == condition.name]
        in_cell = [cell_of(pair.provider, condition, protocol) for pair in found]
        row = [f"{in_cell.count(cell)} of {quota[cell]}" if cell in quota else "–" for cell in cells]
        table.add_row(condition.name, str(condition.drift), *row, f"{len(found)} of {condition.count}")
    console.print(table)
    for condition in preparation.unreached:
        console.print(
            f"{condition.name}: no reply in these logs has a drift {condition.drift}; "
            f"--thresholds {condition.name}=… or --quantiles {condition.name}=… would set another",
            markup=False,
            style="yellow",
        )
    if not stimuli.complete:
        _show_funnel(console, preparation)


def _show_funnel(console: "Console", preparation: "Preparation") -> None:
    """Show, for each cell that is short, where its candidates fell out."""
    from rich.table import Table

    from limen.core.numerals import counted

    stimuli = preparation.stimuli
    console.print("incomplete; where candidates fell out:", style="bold yellow")
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name in ("condition", "provider", "candidates", "fell out"):
        table.add_column(name, justify="right" if name == "candidates" else "left", overflow="fold")
    for short in stimuli.shortfalls:
        steps = [f for f in stimuli.funnel if (f.condition, f.provider) == (short.condition, short.provider)]
        start = steps[0].left + steps[0].dropped if steps else 0
        reasons = ", ".join(f"{f.reason} {f.dropped}" for f in steps if f.dropped)
        table.add_row(
            short.condition, f"{short.provider} ({short.found} of {short.wanted})", str(start), reasons or "none came"
        )
    console.print(table)
    if stimuli.spares_missing:
        spares = counted(stimuli.spares_missing, "spare baseline text")
        console.print(f"the attention checks still need {spares}")
