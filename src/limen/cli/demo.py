"""`limen demo`: the whole study in one command, from the example log to the report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from limen.cli.analyze import Analyzed
    from limen.study.folder import StudyFolder
    from limen.workflow.served import ServedStudy

RATERS = 10
CHARACTER = "mixed"
AT_ONCE = 8
MARK = "demo.txt"
_MARK_TEXT = "This folder was made by `limen demo`. Running it again deletes the folder and makes it anew.\n"
_PROTOCOL_FILES = ("raw_responses.csv", "summary_stats.csv", "analysis_report.md")


def demo(
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the example study goes.")] = Path("out/demo"),
    no_serve: Annotated[
        bool, typer.Option("--no-serve", help="End when the report is written; so it does without a terminal.")
    ] = False,
) -> None:
    """Run the example study from log to report. Ten simulated raters take the survey over HTTP."""
    import sys

    from limen.cli import console as terminal
    from limen.cli.serve import serving_of
    from limen.study.folder import StudyFolder

    console = terminal.out()
    study = StudyFolder(out)
    make_room(study)
    console.print(
        "Simulated data: the conversations are made up and the raters are simulated; nothing here is a result.",
        style="bold yellow",
        markup=False,
    )
    served = _prepare(study, console)
    serving = serving_of(study, served, None, None)
    with serving.beside() as address:
        console.print(f"survey   served at {address}", markup=False)
        _take(served, address, serving.researcher_secret, console)
        _show(study, _analyze(study), console)
        if no_serve or not (sys.stdin.isatty() and console.is_terminal):
            return
        console.print(f"\ntake the survey yourself:  {address}/", markup=False)
        console.print(f"watch it as a researcher:  {address}/status/{serving.researcher_secret}", markup=False)
        console.print(f"your own answers are live ones: limen analyze {out}", style="dim", markup=False)
        console.print("Ctrl-C ends it", style="dim", markup=False)
        _wait()
    console.print("\nstopped; every answer that was acknowledged is stored", markup=False)


def make_room(study: "StudyFolder") -> None:
    """Delete what an earlier demonstration left; raise for a folder that holds anything else."""
    import shutil

    from limen.cli.simulate import running_server
    from limen.errors import NotReadyError, StudyFolderError
    from limen.study.folder import write_whole

    folder = study.path
    try:
        if folder.is_dir() and any(folder.iterdir()):
            if folder.is_symlink() or not (folder / MARK).is_file():
                raise StudyFolderError(
                    f"{folder}: is not empty and no folder of a demonstration; choose another with --out DIR"
                )
            address = running_server(study)
            if address is not None:
                raise NotReadyError(f"{folder}: is being served at {address}; end that first, or choose another --out")
            shutil.rmtree(folder)
        elif folder.exists() and not folder.is_dir():
            raise StudyFolderError(f"{folder}: is a file; choose a folder with --out DIR")
    except OSError as problem:
        raise StudyFolderError(f"{folder}: cannot be made anew ({problem.strerror}); check its rights") from problem
    write_whole(folder / MARK, _MARK_TEXT.encode())


def _prepare(study: "StudyFolder", console: "Console") -> "ServedStudy":
    """Make the study, choose its pairs and check it, as `limen init`, `limen pairs` and `limen check` do."""
    from contextlib import closing

    from limen.cli.pairs import write_preparation
    from limen.cli.serve import refuse_unready
    from limen.core.numerals import counted
    from limen.demo.example import example_log
    from limen.logs.reading import LogFiles
    from limen.metrics.registry import MetricShelf
    from limen.study.new import create_study
    from limen.workflow.preparation import PrepareOptions
    from limen.workflow.prepare import prepare_pairs
    from limen.workflow.served import serve_study

    create_study(study.path, log=example_log())
    protocol = study.read_protocol()
    with closing(LogFiles(names=[str(study.logs)])) as files:
        preparation = prepare_pairs(protocol, files, MetricShelf(study.lexicons), PrepareOptions())
    write_preparation(study, preparation)
    stimuli = study.read_stimuli()
    refuse_unready(protocol, stimuli, study.path)
    console.print(
        f"pairs    {counted(len(stimuli.stimuli), 'pair')} and {counted(len(stimuli.checks), 'attention check')} from "
        f"{counted(preparation.conversations, 'conversation')}; the study is ready",
        markup=False,
    )
    return serve_study(protocol, stimuli, live=True)


def _take(served: "ServedStudy", address: str, secret: str, console: "Console") -> None:
    from limen.cli.simulate import visits
    from limen.core.characters import parse_mixture
    from limen.raters.line import Server
    from limen.workflow.simulate import raters_of

    raters = raters_of(served, parse_mixture(CHARACTER), raters=RATERS)
    for line in visits(served, Server(url=address, secret=secret), raters, AT_ONCE):
        console.print(f"raters   {line}", markup=False)


def _analyze(study: "StudyFolder") -> "Analyzed":
    from limen.cli.analyze import analyze_into, stored_answers
    from limen.core.sessions import Mode

    protocol = study.read_protocol()
    collected = stored_answers(study.path, protocol, Mode.SIMULATED, None)
    return analyze_into(study.path / "results", collected, protocol)


def _show(study: "StudyFolder", done: "Analyzed", console: "Console") -> None:
    """Print the outcome in five lines, then where it is written."""
    from limen.cli.analyze import numbers_of, outcome_line

    why = done.analysis.outcome.reason_sentence
    console.print(f"\n{outcome_line(done.analysis)}", style="bold", markup=False, end="")
    console.print(f". {why}" if why else "", markup=False)
    for line in numbers_of(done.analysis):
        console.print(line, markup=False)
    results = study.path / "results"
    console.print(f"\nreport   {results / 'report.html'}", markup=False)
    for name in _PROTOCOL_FILES:
        console.print(f"files    {results / name}", markup=False)


def _wait() -> None:
    """Stay until Ctrl-C or SIGTERM."""
    import signal
    import threading

    ended = threading.Event()
    before = {n: signal.signal(n, lambda *_: ended.set()) for n in (signal.SIGINT, signal.SIGTERM)}
    try:
        while not ended.wait(0.5):
            pass
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
