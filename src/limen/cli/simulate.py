"""`limen simulate`: raters of known ability take the survey."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from limen.cli.database import Database, Folder, PageFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from limen.core.simulated_rater import SimulatedRater
    from limen.raters.line import Server
    from limen.study.folder import StudyFolder
    from limen.workflow.served import ServedStudy


def simulate(
    folder: Folder,
    raters: Annotated[int, typer.Option(metavar="N", min=1, max=100_000, help="How many simulated raters.")],
    character: Annotated[
        str,
        typer.Option(
            metavar="NAME[:N],…",
            help="perceptive, blind, yes-sayer, careless or mixed; mixtures like perceptive:7,careless:3.",
        ),
    ] = "mixed",
    *,
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="The server to use; otherwise the one that serves DIR, or one started for this."
        ),
    ] = None,
    straight: Annotated[
        bool, typer.Option("--straight", help="Write straight into the store, without a server.")
    ] = False,
    browser: Annotated[
        bool, typer.Option("--browser", help="Drive the real page in Chromium, one rater after the other.")
    ] = False,
    at_once: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="How many answer at a time, over HTTP.")
    ] = 8,
    first: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, help="The number of the first rater; if not given, the one after those stored."
        ),
    ] = None,
    d_prime: Annotated[float | None, typer.Option(metavar="X", help="How well all tell the conditions apart.")] = None,
    criterion: Annotated[
        float | None, typer.Option(metavar="X", help="Above 0: all are slow to say SOMETHING'S OFF.")
    ] = None,
    rater_spread: Annotated[
        float | None, typer.Option(metavar="X", min=0, help="SD of d′ and criterion between raters.")
    ] = None,
    pair_spread: Annotated[float | None, typer.Option(metavar="X", min=0, help="SD between pairs.")] = None,
    lapse_rate: Annotated[
        float | None, typer.Option(metavar="X", min=0, max=1, help="Share of answers given by the toss of a coin.")
    ] = None,
    words_per_minute: Annotated[float | None, typer.Option(metavar="X", min=1, help="How fast all read.")] = None,
    database: Database = None,
    page_file: PageFile = None,
) -> None:
    """Let simulated raters take the survey, over HTTP. Their mode is simulated, and they never mix with live ones."""
    from limen.cli.console import out
    from limen.cli.database import address_of
    from limen.core.characters import parse_mixture
    from limen.errors import InputError
    from limen.storage.store import read_store
    from limen.study.folder import StudyFolder
    from limen.workflow.served import serve_study
    from limen.workflow.simulate import Traits, next_rater, raters_of

    if straight and (browser or url is not None):
        raise InputError("--straight goes without a server: leave out --url and --browser, or leave out --straight")
    mixture = parse_mixture(character)
    study = StudyFolder(folder)
    served = serve_study(study.read_protocol(), study.read_stimuli(), live=False)
    traits = Traits(
        d_prime=d_prime,
        criterion=criterion,
        rater_spread=rater_spread,
        pair_spread=pair_spread,
        lapse_rate=lapse_rate,
        words_per_minute=words_per_minute,
    )
    number = first or read_store(address_of(study, database), next_rater) or 1
    crowd = raters_of(served, mixture, raters=raters, first=number, traits=traits)
    way = _Way(url=url, at_once=at_once, browser=browser, database=database, page_file=page_file)
    told = _straight(study, served, crowd, database) if straight else _over_http(study, served, crowd, way)
    console = out()
    for line in (*_kinds(crowd), *told, f"next: limen analyze {folder} --mode simulated"):
        console.print(line, markup=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How raters reach the survey."""

    url: str | None
    at_once: int
    browser: bool
    database: str | None
    page_file: Path | None


def _straight(
    study: "StudyFolder", served: "ServedStudy", crowd: "Sequence[SimulatedRater]", database: str | None
) -> list[str]:
    from limen.cli.console import SystemSecrets, WallClock
    from limen.cli.database import address_of
    from limen.core.numerals import counted
    from limen.storage.store import open_store
    from limen.workflow.simulate import simulate_straight

    with open_store(address_of(study, database)) as store, raters_bar(len(crowd)) as advance:
        for _participant in simulate_straight(served, store, WallClock(), SystemSecrets(), crowd):
            advance()
    return [f"stored {counted(len(crowd), 'simulated rater')}, without a server"]


def _over_http(study: "StudyFolder", served: "ServedStudy", crowd: "Sequence[SimulatedRater]", way: _Way) -> list[str]:
    from limen.cli.serve import serving_of
    from limen.errors import NotReadyError
    from limen.raters.line import Server

    address = way.url.rstrip("/") if way.url else running_server(study)
    if address is None:
        own = serving_of(study, served, way.database, way.page_file)
        with own.beside() as address:
            server = Server(url=address, secret=own.researcher_secret)
            told = visits(served, server, crowd, way.at_once, browser=way.browser)
        return [f"no server runs for {study.path}: one was started for these raters", *told]
    try:
        secret = study.researcher_key_file.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as problem:
        raise NotReadyError(
            f"{study.researcher_key_file}: cannot be read, and only who has it may send simulated raters; "
            "copy it from the folder that is served"
        ) from problem
    told = visits(served, Server(url=address, secret=secret), crowd, way.at_once, browser=way.browser)
    return [f"on the server at {address}", *told]


def running_server(study: "StudyFolder") -> str | None:
    """Give the address of the server that serves this folder now; None when none answers."""
    try:
        address = study.address_file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return None
    from limen.raters.line import answers  # an HTTP client: only where there may be a server

    return address if address and answers(address) else None


def visits(
    served: "ServedStudy", server: "Server", crowd: "Sequence[SimulatedRater]", at_once: int, *, browser: bool = False
) -> list[str]:
    """Let raters take the survey on a server, with a bar that shows them; give what is to be said of it."""
    from limen.cli.console import SystemSecrets
    from limen.core.numerals import counted
    from limen.raters.crowd import simulate_over_http

    with raters_bar(len(crowd)) as advance:
        if browser:
            from limen.raters.browser import simulate_in_browser

            simulate_in_browser(served, server, crowd, finished=advance)
            return [f"{counted(len(crowd), 'simulated rater')} took the survey in Chromium"]
        traffic = simulate_over_http(served, server, crowd, SystemSecrets(), at_once=at_once, finished=advance)
    return [f"{counted(len(crowd), 'simulated rater')} took the survey over HTTP", traffic.sentence()]


@contextmanager
def raters_bar(total: int) -> "Iterator[Callable[[], None]]":
    """Show how many simulated raters have finished."""
    from limen.cli.console import progress

    with progress("simulated raters", total, of_bytes=False) as bar:
        yield lambda: bar.advance(bar.task_ids[0], 1)


def _kinds(crowd: "Sequence[SimulatedRater]") -> list[str]:
    from collections import Counter

    kinds = Counter(rater.character for rater in crowd)
    return ["simulated raters: " + ", ".join(f"{count} {name}" for name, count in kinds.items())]
