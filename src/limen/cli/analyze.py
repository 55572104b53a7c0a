"""`limen analyze`: from answers to the result files."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen.cli.database import Database

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from limen.core.findings import Analysis
    from limen.core.protocol import Protocol
    from limen.dataset.responses import Reading
    from limen.workflow.collected import Collected
    from limen.workflow.ports import Reading as StoreReading


def analyze(
    folder: Annotated[Path | None, typer.Argument(metavar="[DIR]", help="The study folder.")] = None,
    table: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Answers in a CSV file, in place of the stored ones.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where the files go; DIR/results if not given.")
    ] = None,
    mode: Annotated[
        str | None, typer.Option(metavar="MODE", help="live (if not given), pilot, preview or simulated; never pooled.")
    ] = None,
    protocol: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A study.toml, or its folder, for --from without DIR.")
    ] = None,
    columns: Annotated[
        Path | None, typer.Option(metavar="MAP", help="A column map in TOML, for a table made elsewhere.")
    ] = None,
    database: Database = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
) -> None:
    """Decide the outcome and write report and result files. Exit code 3 when there are no answers."""
    import datetime as time

    results = _results_folder(folder, table, out, protocol, columns)
    plan = _protocol(folder, protocol)
    if table is not None:
        collected = _read(table, _reading(folder, plan, mode, columns, time.datetime.now(time.UTC)))
    elif folder is not None:
        collected = stored_answers(folder, plan, mode, database)
    done = analyze_into(results, collected, plan)
    _print_json(done) if as_json else _show(done)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analyzed:
    """An analysis, and the files that hold it."""

    analysis: "Analysis"
    written: tuple[Path, ...]


def analyze_into(results: Path, collected: "Collected", plan: "Protocol") -> Analyzed:
    """Analyze answers and write the result files into a folder, with a word on the terminal of what is being done."""
    from limen.cli.console import SystemClock, working
    from limen.dataset.output import write_file
    from limen.study.protocol_file import built_in_protocol
    from limen.workflow.analyze import Making
    from limen.workflow.analyze import analyze as analyze_answers

    making = Making(at=SystemClock().now(), versions=_versions(), built_in=built_in_protocol())
    with working("analyzing") as tell:
        analysis = analyze_answers(collected, plan, making, tell)
        written = []
        for name, pieces in _files(analysis, collected):
            tell(f"writing {name}")
            write_file(results / name, pieces)
            written.append(results / name)
    return Analyzed(analysis=analysis, written=tuple(written))


def _results_folder(
    folder: Path | None, table: Path | None, out: Path | None, protocol: Path | None, columns: Path | None
) -> Path:
    from limen.errors import InputError

    if folder is None and table is None:
        raise InputError("name a study folder, or a table of answers with --from FILE")
    if folder is not None and protocol is not None:
        raise InputError(f"--protocol {protocol}: the study folder has its own study.toml; give one of the two")
    if columns is not None and table is None:
        raise InputError(f"--columns {columns}: a column map belongs to a table; name it with --from FILE")
    if out is not None:
        return out
    if folder is None:
        raise InputError("--from without a study folder needs --out DIR for the result files")
    return folder / "results"


def _protocol(folder: Path | None, protocol: Path | None) -> "Protocol":
    from limen.study.folder import StudyFolder
    from limen.study.protocol_file import built_in_protocol, read_protocol

    if folder is not None:
        study = StudyFolder(folder)
        declared = study.read_protocol()
        # what raters were shown was chosen by these ranges, whatever study.toml says
        return declared.with_ranges(study.read_metadata().bands) if study.pairs_file.is_file() else declared
    if protocol is None:
        return built_in_protocol()
    return StudyFolder(protocol).read_protocol() if protocol.is_dir() else read_protocol(protocol)


def _reading(
    folder: Path | None, protocol: "Protocol", mode: str | None, columns: Path | None, now: "datetime"
) -> "Reading":
    from limen.core.shown import shown_stimuli
    from limen.dataset.column_map import ColumnMap, read_column_map
    from limen.dataset.responses import Reading
    from limen.study.folder import StudyFolder
    from limen.workflow.collected import Material

    mapped = read_column_map(columns) if columns else ColumnMap()
    if folder is None:
        return Reading(protocol=protocol, now=now, mapped=mapped, mode=mode)
    stimuli = StudyFolder(folder).read_stimuli()
    return Reading(
        protocol=protocol,
        now=now,
        mapped=mapped,
        mode=mode,
        known={stimulus.stimulus_id: stimulus for stimulus in shown_stimuli(protocol, stimuli)},
        material=Material.of(protocol, stimuli),
    )


def _read(table: Path, reading: "Reading") -> "Collected":
    from limen.cli.console import progress
    from limen.dataset.responses import read_responses

    size = table.stat().st_size if table.is_file() else 0
    with progress("reading answers", size) as bar:
        return read_responses(table, reading, lambda count: bar.advance(bar.task_ids[0], count))


def stored_answers(folder: Path, protocol: "Protocol", mode: str | None, database: str | None) -> "Collected":
    """Give the stored answers of a mode; raise NotReadyError when there are none."""
    from limen.cli.database import address_of
    from limen.core.sessions import Mode
    from limen.errors import InputError, NotReadyError
    from limen.storage.store import read_store
    from limen.study.folder import StudyFolder
    from limen.workflow.gather import gather_answers, refuse_other_pairs

    study = StudyFolder(folder)
    wanted = mode or Mode.LIVE
    if wanted not in list(Mode):
        raise InputError(f"--mode {wanted}: expected one of {', '.join(Mode)}")
    stimuli = study.read_stimuli()

    def ask(reading: "StoreReading") -> "Collected":
        gathered = gather_answers(reading, protocol, stimuli, Mode(wanted))
        if not gathered.table.participants.ids:
            refuse_other_pairs(reading, Mode(wanted))
        return gathered

    found = read_store(address_of(study, database), ask)
    if found is None or not found.table.participants.ids:
        ways = {Mode.SIMULATED: f"simulate {folder} --raters N", Mode.PILOT: f"serve {folder} --pilot"}
        taken_in = ways.get(Mode(wanted), f"serve {folder}")
        raise NotReadyError(
            f"{folder}: no answers of mode {wanted} are stored; `limen {taken_in}` takes them in, "
            "and a table made elsewhere is read with --from FILE"
        )
    return found


def _files(analysis: "Analysis", collected: "Collected") -> "Iterator[tuple[str, Iterator[bytes]]]":
    from limen.dataset.analysis_file import encode_analysis
    from limen.dataset.raw_file import raw_responses
    from limen.dataset.reproduce import reproduction_scripts
    from limen.dataset.summary_file import encode_summary
    from limen.report.rendering import render_report

    yield "raw_responses.csv", raw_responses(collected.table, analysis.exclusions, collected.material)
    yield "summary_stats.csv", iter([encode_summary(analysis)])
    yield "analysis.json", iter([encode_analysis(analysis)])
    for name, script in reproduction_scripts(analysis.protocol).items():
        yield name, iter([script])
    for name, content in render_report(analysis).files().items():
        yield str(name), iter([content])


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import version

    from limen import __version__

    return {"limen": __version__, "python": platform.python_version()} | {
        name: version(name) for name in ("numpy", "scipy", "matplotlib", "jinja2")
    }


def _show(done: Analyzed) -> None:
    from limen.cli.console import out

    console, analysis = out(), done.analysis
    if analysis.study.mode not in (None, "live"):
        console.print(f"{analysis.study.mode} answers: not a result of the study", style="bold yellow", markup=False)
    console.print(outcome_line(analysis), style="bold", markup=False)
    if analysis.outcome.reason_sentence:
        console.print(analysis.outcome.reason_sentence, markup=False)
    for line in numbers_of(analysis):
        console.print(line, markup=False)
    for rule in analysis.exclusion_rules:
        if not rule.assessed:
            console.print(f"not assessed: {rule.declared} ({rule.remark})", style="yellow", markup=False)
    for problem in analysis.data_problems:
        first = f" ({'; '.join(problem.examples)})" if problem.examples else ""
        console.print(f"{problem.count} × {problem.reason}: {problem.rule}{first}", style="yellow", markup=False)
    for path in done.written:
        console.print(f"wrote {path}", markup=False)


def outcome_line(analysis: "Analysis") -> str:
    """Say the outcome with its reason."""
    outcome = analysis.outcome
    if len(outcome.letter) > 1:  # NOT ASSESSABLE, which is its title too
        return str(outcome.letter)
    reason = f" ({outcome.reason})" if outcome.reason else ""
    return f"Outcome {outcome.letter}{reason}: {outcome.title}"


def numbers_of(analysis: "Analysis") -> "Iterator[str]":
    """Say how many raters there were, the rate of each condition, and the companion verdict: a line each."""
    from limen.core import notation
    from limen.core.analysis.estimates import Undetermined

    n, verdict = analysis.n, analysis.outcome.companion_verdict
    yield f"{n.analyzed} of {n.started} raters analyzed, {n.excluded} excluded"
    for condition, counts in analysis.as_specified.conditions.items():
        rate = analysis.companions.rates[condition].off_rate
        bounds = rate if isinstance(rate, Undetermined) else rate.interval
        yield (
            f"{condition.upper()}: SOMETHING'S OFF {notation.percent_of(counts.off, counts.n)}, "
            f"95 % interval {notation.percent_interval(bounds)}"
        )
    yield f"companion verdict: {notation.undetermined(verdict) if isinstance(verdict, Undetermined) else verdict}"


def _print_json(done: Analyzed) -> None:
    import json

    from limen.dataset.codec import to_plain

    parts = ("study", "n", "exclusions", "exclusion_rules", "as_specified", "hypotheses", "outcome", "data_problems")
    found = {name: to_plain(getattr(done.analysis, name)) for name in parts}
    result = found | {"files": [str(path) for path in done.written]}
    typer.echo(json.dumps(result, indent=2, ensure_ascii=False))
