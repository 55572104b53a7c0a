"""`limen drift`: measure the replies of logs, and hold metrics against each other."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen.cli.metrics import CacheOption, EndpointOption, open_shelf

if TYPE_CHECKING:
    from limen.core.drift import Metric
    from limen.core.protocol import Protocol
    from limen.logs.reading import LogFiles
    from limen.metrics.registry import MetricShelf

drift = typer.Typer(name="drift", help="Measure drift in logs, and compare metrics of drift.", no_args_is_help=True)

Logs = Annotated[list[str], typer.Argument(metavar="LOG…", help="Files, folders or globs; - for standard input.")]
Study = Annotated[
    Path | None,
    typer.Option("--study", metavar="DIR", help="A study folder, for its own lexicons and its thresholds."),
]


@drift.command()
def measure(
    logs: Logs,
    metric: Annotated[str, typer.Option(metavar="NAME", help="The metric, such as cosine/wordllama/l2_supercat-256.")],
    *,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Write the logs with drift; gzipped if it ends in .gz, - for standard output."
        ),
    ] = None,
    study: Study = None,
    endpoint: EndpointOption = None,
    cache: CacheOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON, for scripts.")] = False,
) -> None:
    """Measure how far each reply is from how its conversation began. Shows the drift by turn."""
    from limen.cli.console import aside
    from limen.cli.console import out as console_out
    from limen.cli.drift_tables import measurement_json, show_measurement
    from limen.logs.writing import STANDARD_OUTPUT, as_lines, canonical_log, refuse_own_input
    from limen.workflow.measure import measure_logs

    refuse_own_input(out, logs)
    with _at_work(logs, study, endpoint, cache) as (files, shelf):
        wanted = shelf.find(metric)
        with canonical_log(out) if out else nullcontext() as log:
            measurement = measure_logs(files, wanted, lambda found: log and log.write(as_lines([found]).lines))
    if as_json:
        typer.echo(measurement_json(measurement, wanted, shelf.remarks()), err=out == STANDARD_OUTPUT)
        return
    console = aside() if out == STANDARD_OUTPUT else console_out()
    show_measurement(console, measurement, len(files.sources))
    for remark in shelf.remarks():
        console.print(remark, markup=False, style="yellow")
    if out != STANDARD_OUTPUT:
        console.print(f"wrote {out}" if out else "nothing written; --out FILE writes the logs with drift", markup=False)


@drift.command()
def compare(
    logs: Logs,
    metrics: Annotated[str, typer.Option(metavar="A,B,…", help="The metrics, with commas between them.")],
    *,
    quantiles: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=X,…", help="Bounds at these quantiles of each metric: BASELINE=0.25,CATASTROPHIC=0.75."
        ),
    ] = None,
    figure: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw the comparison as SVG.")] = None,
    study: Study = None,
    endpoint: EndpointOption = None,
    cache: CacheOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the numbers as JSON, for scripts.")] = False,
) -> None:
    """Hold metrics against each other and against recorded drift. Compares how they order replies, and conditions."""
    from limen.cli.bounds import read_shares
    from limen.cli.console import out as console_out
    from limen.cli.drift_tables import comparison_json, show_comparison
    from limen.errors import InputError
    from limen.report.figures.canvas import draw
    from limen.report.figures.compared import plot_comparison
    from limen.study.folder import write_whole
    from limen.workflow.measure import compare_metrics

    protocol = _protocol(study)
    shares = read_shares(protocol, quantiles, "--quantiles")
    with _at_work(logs, study, endpoint, cache) as (files, shelf):
        found = compare_metrics(files, _metrics(shelf, metrics), protocol, shares)
    if figure and not found.comparison.agreements:
        raise InputError("--figure: one metric and no recorded drift, so there is nothing to draw; name two metrics")
    if figure:
        plotted = plot_comparison(found.comparison, found.table)
        drawn = draw([plotted.sketch])[plotted.key]
        write_whole(figure, drawn.alone(plotted.alternative).encode())
    if as_json:
        typer.echo(comparison_json(found, shelf.remarks()))
        return
    console = console_out()
    show_comparison(console, found, len(files.sources))
    for remark in shelf.remarks():
        console.print(remark, markup=False, style="yellow")
    if figure:
        console.print(f"wrote {figure}", markup=False)


@contextmanager
def _at_work(
    logs: Sequence[str], study: Path | None, endpoint: str | None, cache: Path | None
) -> "Iterator[tuple[LogFiles, MetricShelf]]":
    """Open logs and metrics, with a bar; when interrupted, say that nothing embedded is lost."""
    from limen.cli.console import progress
    from limen.logs.reading import LogFiles
    from limen.study.folder import StudyFolder

    lexicons = StudyFolder(study).lexicons if study else None
    with (
        open_shelf(lexicons, endpoint, cache) as shelf,
        closing(LogFiles(names=logs, digests=False)) as files,
        progress("measuring", files.total_bytes()) as bar,
    ):
        task = bar.task_ids[0]
        embedded = 0

        def tell(count: int) -> None:
            nonlocal embedded
            embedded += count
            bar.update(task, description=f"measuring ({embedded:,} texts embedded)")

        files.on_bytes = lambda count: bar.advance(task, count)
        shelf.on_texts = tell
        try:
            yield files, shelf
        except KeyboardInterrupt:
            kept = f"; the vectors of {embedded:,} texts are kept" if embedded else ""
            bar.stop()
            typer.echo(f"limen: interrupted{kept}; run the command again to go on", err=True)
            raise typer.Exit(130) from None


def _protocol(study: Path | None) -> "Protocol":
    from limen.study.folder import StudyFolder
    from limen.study.protocol_file import built_in_protocol

    return StudyFolder(study).read_protocol() if study else built_in_protocol()


def _metrics(shelf: "MetricShelf", names: str) -> "list[Metric]":
    from limen.errors import InputError

    wanted = list(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not wanted:
        raise InputError(
            "--metrics: at least one name was expected, several with commas; `recorded` is always among them"
        )
    found = {metric.name: metric for metric in map(shelf.find, wanted)}
    return list(found.values())
