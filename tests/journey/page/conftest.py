"""A browser for the session, the built page, and places from which it is given out."""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from journey.page.double import Double
from journey.page.real import Real
from journey.page.study import BUILT, ROOT, example_stimuli, example_study, static_boot, static_file, trials_of
from limen.core.blinding import BlindedStudy
from limen.core.stimuli import StimulusSet

expect.set_options(timeout=20_000)  # a busy machine is no failure of the page

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, object]:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert found, f"no browser was found; install one of {', '.join(BROWSERS)} with your system's packages"
    return {"executable_path": found, "args": FLAGS}


@pytest.fixture(scope="session")
def built() -> str:
    subprocess.run([ROOT / "scripts" / "build-page"], check=True)
    return BUILT.read_text("utf-8")


@pytest.fixture(scope="session")
def axe(built: str) -> str:
    assert built  # building it has installed the package
    return (ROOT / "page" / "node_modules" / "axe-core" / "axe.min.js").read_text("utf-8")


@pytest.fixture(scope="session")
def stimuli(tmp_path_factory: pytest.TempPathFactory) -> StimulusSet:
    return example_stimuli(tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="session")
def study(stimuli: StimulusSet) -> BlindedStudy:
    return example_study(stimuli)


@pytest.fixture(scope="session")
def survey_file(
    built: str, stimuli: StimulusSet, study: BlindedStudy, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """survey.html with three plans: K7QX, M2RD and P9WT."""
    plans = [(code, trials_of(stimuli, k)) for k, code in enumerate(("K7QX", "M2RD", "P9WT"), 1)]
    file = tmp_path_factory.mktemp("static") / "survey.html"
    file.write_text(static_file(built, static_boot(study, plans)), "utf-8")
    return file


class Watch:
    """What went wrong in a page without anybody seeing it: errors, and requests that left."""

    def __init__(self) -> None:
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.arrived: list[str] = []

    def over(self, context: BrowserContext) -> None:
        context.on("page", self.page)
        context.on("request", lambda request: self.requests.append(request.url))
        context.on("requestfinished", lambda request: self.arrived.append(f"{request.method} {request.url}"))

    def trials_fetched(self) -> list[int]:
        """Give the numbers of the trials that have come, in the order they came."""
        found = (re.fullmatch(r"GET .*/trials/(\d+)", address) for address in self.arrived)
        return [int(trial[1]) for trial in found if trial]

    def page(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda message: (
                self.errors.append(message.text)
                if message.type == "error" and "Failed to load resource" not in message.text
                else None
            ),
        )


@pytest.fixture
def watch() -> Iterator[Watch]:
    watching = Watch()
    yield watching
    assert watching.errors == []


@pytest.fixture
def desktop(browser: Browser, watch: Watch) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, accept_downloads=True)
    watch.over(context)
    yield context
    context.close()


@pytest.fixture
def phone(browser: Browser, watch: Watch) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
        device_scale_factor=2,
        accept_downloads=True,
    )
    watch.over(context)
    yield context
    context.close()


@pytest.fixture
def server(built: str, stimuli: StimulusSet, study: BlindedStudy) -> Iterator[Double]:
    """A server with the example study whose state a test can bend."""
    double = Double(built=built, study=study, trials=trials_of(stimuli, 1))
    double.start()
    yield double
    double.stop()


@pytest.fixture
def survey(built: str, stimuli: StimulusSet, tmp_path: Path) -> Iterator[Real]:
    """The real server with the example study."""
    real = Real(built=built, stimuli=stimuli, file=tmp_path / "answers.sqlite")
    real.start()
    yield real
    real.stop()
