"""Takes pictures of every screen, in a real browser: light and dark, on a desktop and on a phone.

The pictures go to docs/pictures/screens, and the page that shows them, docs/reference/screens.md, is written with them.
The study is the example, the clock and the secrets are fixed, so that a picture changes only when the screen does.
"""

import io
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright
from screens_page import DEVICES, SCHEMES, contents

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # the participant who walks through the tests walks through here too

from journey.page.conftest import BROWSERS, FLAGS  # noqa: E402
from journey.page.participant import Participant, Way, mixed  # noqa: E402
from journey.page.real import RESEARCHER, Real  # noqa: E402
from journey.page.steps import advance, arrive, at_trial  # noqa: E402
from journey.page.study import BUILT, NORMAL, OFF, example_stimuli, static_boot, static_file, trials_of  # noqa: E402
from limen.core.blinding import BlindedStudy, blind_study  # noqa: E402
from limen.core.protocol import ResumePolicy  # noqa: E402
from limen.core.review import Action, shown_digest  # noqa: E402
from limen.study.folder import StudyFolder  # noqa: E402
from limen.study.protocol_file import built_in_protocol  # noqa: E402
from limen.study.review_shelf import FolderShelf  # noqa: E402
from limen.web.review import create_review_app  # noqa: E402
from limen.web.server import configured, listen  # noqa: E402
from limen.workflow.review import ReviewDesk, Wish  # noqa: E402
from studies import CountedSecrets, SteppedClock  # noqa: E402

PICTURES = ROOT / "docs" / "pictures" / "screens"
REPORT = ROOT / "docs" / "pictures" / "report.webp"
REVIEW = ROOT / "docs" / "pictures" / "review.webp"
PAGE = ROOT / "docs" / "reference" / "screens.md"


@dataclass(frozen=True)
class Camera:
    """Takes the pictures of one device."""

    device: str

    def take(self, page: Page, name: str) -> None:
        """Take what is on the screen, in light and dark; long screens as a whole, trials as the window shows them."""
        whole = page.locator(".bar").count() == 0
        page.mouse.move(0, 0)  # where it points at nothing
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            image = Image.open(io.BytesIO(page.screenshot(full_page=whole)))
            image.convert("RGB").save(PICTURES / f"{name}-{self.device}-{scheme}.webp", lossless=True, method=6)
        page.emulate_media(color_scheme="light")


@dataclass(frozen=True)
class Studio:
    """The example study on three servers, which a browser reaches by names, and in a file."""

    main: Real
    pilot: Real  # with everything that a protocol may turn on
    strict: Real  # one who left cannot come back
    study: BlindedStudy
    varied: BlindedStudy
    file: Path

    def rules(self) -> str:
        """Say by which names a browser finds the servers: a picture shows no port."""
        named = {"survey": self.main, "pilot": self.pilot, "strict": self.strict}
        return ", ".join(f"MAP {name}.example.org 127.0.0.1:{server.port}" for name, server in named.items())


@dataclass(frozen=True)
class Place:
    """A server as the browser knows it."""

    url: str


MAIN, PILOT, STRICT = (Place(f"http://{name}.example.org") for name in ("survey", "pilot", "strict"))


FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <match target="pattern">
    <test name="family"><string>system-ui</string></test>
    <edit name="family" mode="assign" binding="strong"><string>Liberation Sans</string></edit>
  </match>
  <match target="pattern">
    <test name="family"><string>sans-serif</string></test>
    <edit name="family" mode="assign" binding="strong"><string>Liberation Sans</string></edit>
  </match>
</fontconfig>
"""  # on Linux the system's font is whatever was installed last; these pictures have one that setup installs

FORGE = """Object.keys(localStorage).forEach((key) => {
  localStorage[key] = localStorage[key].replace('"token":"', '"token":"X');
})"""


def main() -> int:
    """Take all pictures and write the page that shows them."""
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        print("screens: no browser was found; scripts/setup --browser says how to get one", file=sys.stderr)  # noqa: T201
        return 1
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.iterdir():
        old.unlink()
    with tempfile.TemporaryDirectory() as folder, open_studio(Path(folder)) as studio, sync_playwright() as driver:
        flags = [*FLAGS, f"--host-resolver-rules={studio.rules()}"]
        fonts = Path(folder) / "fonts.conf"
        fonts.write_text(FONTS, "utf-8")
        browser = driver.chromium.launch(
            executable_path=found, args=flags, env={**os.environ, "FONTCONFIG_FILE": str(fonts)}
        )
        for device in DEVICES:
            take_device(browser, studio, device)
        take_report(browser, Path(folder))
        take_review(browser, Path(folder))
        browser.close()
    PAGE.write_text(contents(), "utf-8")
    pictures = list(PICTURES.iterdir())
    print(f"{len(pictures)} pictures, {sum(p.stat().st_size for p in pictures) / 1000:.0f} kB")  # noqa: T201
    return 0


@contextmanager
def open_studio(folder: Path) -> Iterator[Studio]:
    """Serve the example study, with a fixed clock and fixed secrets."""
    built, stimuli, protocol = BUILT.read_text("utf-8"), example_stimuli(folder), built_in_protocol()
    survey = protocol.survey
    varied = replace(protocol, survey=replace(survey, practice_feedback=True, break_after=2))
    strict = replace(protocol, survey=replace(survey, on_return=ResumePolicy.BLOCK))
    study = blind_study(protocol, stimuli)
    file = folder / "survey.html"
    two = replace(study, trial_count=2)
    file.write_text(static_file(built, static_boot(two, [("K7QX", trials_of(stimuli, 1)[:2])])), "utf-8")
    with ExitStack() as stack:
        servers = []
        for name, its_protocol in (("main", protocol), ("pilot", varied), ("strict", strict)):
            server = Real(
                built=built,
                stimuli=stimuli,
                file=folder / f"{name}.sqlite",
                protocol=its_protocol,
                clock=SteppedClock(),
                secrets=CountedSecrets(),
            )
            server.start()
            stack.callback(server.stop)
            servers.append(server)
        one, other, third = servers
        varied_study = blind_study(varied, stimuli)
        yield Studio(main=one, pilot=other, strict=third, study=study, varied=varied_study, file=file)


def take_device(browser: Browser, studio: Studio, device: str) -> None:
    """Take the pictures of one device: every way of going through the survey in a browser of its own."""
    camera = Camera(device)
    for take in (take_main, take_waits, take_options, take_ends, take_returns, take_file, take_researcher):
        context = new_context(browser, device)
        take(context, studio, camera, "touch" if device == "phone" else "mouse")
        context.close()


def take_report(browser: Browser, folder: Path) -> None:
    """Take the first screen of the report that `limen demo` makes, for the README."""
    study = folder / "demo"
    limen = Path(sys.executable).with_name("limen")
    command = [
        str(limen),
        "demo",
        "--out",
        str(study),
        "--no-serve",
    ]  # a process of its own: here a loop is running already
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
    page = new_context(browser, "desktop").new_page()
    page.set_viewport_size({"width": 1200, "height": 900})
    page.goto((study / "results" / "report.html").as_uri())
    image = Image.open(io.BytesIO(page.screenshot()))
    image.convert("RGB").save(REPORT, lossless=True, method=6)


def take_review(browser: Browser, folder: Path) -> None:
    """Take a pair of the example in the review, two approved and one rejected before it."""
    shelf = FolderShelf(StudyFolder(folder / "demo"))  # which the report was made of
    desk = ReviewDesk(shelf=shelf, clock=SteppedClock(), answered=lambda: False)
    for action, place in ((Action.APPROVE, 0), (Action.APPROVE, 1), (Action.REJECT, 2)):
        stimulus = shelf.read().stimuli.stimuli[place]
        shown = shown_digest(stimulus.pair)
        desk.decide(Wish(action=action, pair_id=stimulus.pair_id, shown=shown, reason="It ends in a list."))
    with listen("127.0.0.1", 0) as sock:
        host = f"127.0.0.1:{sock.getsockname()[1]}"
        server = uvicorn.Server(configured(create_review_app(desk, secret=RESEARCHER, host=host)))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
        thread.start()
        page = new_context(browser, "desktop").new_page()
        page.set_viewport_size({"width": 1200, "height": 750})
        page.goto(f"http://{host}/{RESEARCHER}/pairs/CAT_01")
        image = Image.open(io.BytesIO(page.screenshot()))
        image.convert("RGB").save(REVIEW, lossless=True, method=6)
        server.should_exit = True
        thread.join(10)


def new_context(browser: Browser, device: str) -> BrowserContext:
    """Open a window as the device has it."""
    if device == "phone":
        return browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    return browser.new_context(viewport={"width": 1200, "height": 750})


def take_main(context: BrowserContext, studio: Studio, camera: Camera, way: Way) -> None:
    """What every participant meets."""
    study = studio.study
    rater = arrive(context, MAIN, study, hasty=True)
    rater.way = way
    rater.sees(study.wording.consent.title)
    camera.take(rater.page, "consent")
    rater.consent()
    rater.sees(study.wording.screening.title)
    camera.take(rater.page, "screening")
    rater.screen()
    rater.sees(study.wording.instructions.title)
    camera.take(rater.page, "instructions")
    rater.press(study.wording.instructions.button)
    rater.sees("PRACTICE TRIAL 1 of 2")
    camera.take(rater.page, "practice")
    rater.practice()
    rater.trials(mixed(4))
    rater.sees("TRIAL 5 of 23")
    camera.take(rater.page, "trial")
    rater.press(study.wording.stop.button)
    camera.take(rater.page, "stop")
    rater.press(study.wording.stop.back)
    second = arrive(context, MAIN, study)
    second.sees("This survey is open in another tab")
    camera.take(second.page, "elsewhere")
    second.page.close()
    rater.trials(mixed(23)[4:], first=5)
    rater.sees(study.wording.debrief.strategy.title)
    camera.take(rater.page, "strategy")
    rater.strategy()
    rater.sees(study.wording.debrief.demographics.title)
    camera.take(rater.page, "demographics")
    context.set_offline(True)
    rater.demographics()
    rater.page.clock.fast_forward(500)
    rater.sees("Sending your answers")
    camera.take(rater.page, "finishing")
    context.set_offline(False)
    rater.page.clock.fast_forward("00:40")
    rater.sees(study.wording.thanks.title)
    rater.page.clock.fast_forward("00:10")
    expect(rater.page.get_by_role("status")).to_be_empty()
    camera.take(rater.page, "thanks")
    link = rater.page.locator("#withdrawal").get_attribute("href")
    rater.page.goto(str(link))
    camera.take(rater.page, "withdraw")
    rater.page.get_by_role("button", name="Delete my answers").click()
    expect(rater.page.locator("h1")).to_contain_text("deleted")
    camera.take(rater.page, "withdrawn")


def take_waits(context: BrowserContext, studio: Studio, camera: Camera, way: Way) -> None:
    """What is shown while the line is gone."""
    rater = at_trial(context, MAIN, studio.study, 5)
    rater.way = way
    rater.page.wait_for_timeout(500)  # until the texts that come next are here
    context.set_offline(True)
    while rater.title().startswith("TRIAL"):
        rater.answer(NORMAL)
        rater.page.clock.fast_forward(400)
    rater.sees("The next texts are on their way")
    camera.take(rater.page, "waiting")
    context.set_offline(False)
    context.route("**/api/**", lambda route: route.abort())
    rater.page.reload()
    rater.page.clock.fast_forward(400)
    rater.sees("Connecting")
    camera.take(rater.page, "opening")


def take_options(context: BrowserContext, studio: Studio, camera: Camera, way: Way) -> None:
    """What a protocol may turn on, and what a pilot has."""
    study = studio.varied
    rater = arrive(context, PILOT, study, "/pilot", hasty=True)
    rater.way = way
    rater.begin()
    for answer in (NORMAL, OFF):
        rater.answer(answer)
        expect(rater.page.get_by_text("Expected answer: ")).to_be_visible()
        if answer == NORMAL:
            camera.take(rater.page, "feedback")
        rater.press(study.wording.trial.break_button)
    rater.trials(mixed(2))
    rater.sees(study.wording.trial.break_title)
    camera.take(rater.page, "break")
    rater.press(study.wording.trial.break_button)
    rater.sees("TRIAL 3 of 23")
    advance(rater.page, [f"trials/{n}" for n in range(3, 24)], mixed(23)[2:])
    rater.strategy()
    rater.demographics()
    rater.sees("YOUR COMMENTS")
    rater.page.get_by_role("textbox").fill("The texts are long; a break in the middle would help.")
    camera.take(rater.page, "comment")
    rater.press(study.wording.debrief.continue_button)
    rater.sees(study.wording.thanks.title)


def take_ends(context: BrowserContext, studio: Studio, camera: Camera, way: Way) -> None:
    """How it ends before the thanks."""
    words = studio.study.wording
    rater = arrive(context, MAIN, studio.study)
    rater.way = way
    rater.press(words.consent.decline)
    rater.sees(words.consent.declined_title)
    camera.take(rater.page, "declined")
    rater.page.reload()
    rater.consent()
    rater.screen(english="no")
    rater.sees(words.screening.screened_out_title)
    camera.take(rater.page, "screened_out")
    for choice, said, name in (
        (words.stop.delete, words.stop.deleted, "deleted"),
        (words.stop.keep, words.stop.kept, "kept"),
    ):
        rater.page.reload()
        rater.begin()
        rater.press(words.stop.button)
        rater.press(choice)
        expect(rater.page.locator("main")).to_contain_text(said)
        camera.take(rater.page, name)


def take_returns(context: BrowserContext, studio: Studio, camera: Camera, way: Way) -> None:
    """Coming back to what is no more."""
    rater = arrive(context, STRICT, studio.study)
    rater.way = way
    rater.begin()
    rater.sees("PRACTICE TRIAL 1 of 2")
    rater.page.close()
    again = arrive(context, STRICT, studio.study)
    again.sees("This session has ended")
    camera.take(again.page, "closed")
    again.page.goto(f"{STRICT.url}/withdraw/none")  # from here the survey does not write back what it has
    again.page.evaluate(FORGE)
    again.page.goto(STRICT.url)
    again.sees("This session was not found")
    camera.take(again.page, "unknown")


def take_file(context: BrowserContext, studio: Studio, camera: Camera, way: Way) -> None:
    """The page on disk."""
    page = context.new_page()
    study = replace(studio.study, trial_count=2)
    rater = Participant(page, study, way, hasty=True)
    page.goto(studio.file.as_uri())
    rater.sees("WELCOME")
    camera.take(page, "code")
    page.get_by_label("Code:").fill("K7QX")
    rater.press("CONTINUE")
    rater.begin()
    rater.practice()
    rater.trials([NORMAL, OFF])
    rater.strategy()
    rater.demographics()
    rater.sees("SAVE YOUR ANSWERS")
    camera.take(page, "hand-over")
    rater.press("SAVE THE FILE")
    rater.sees(study.wording.thanks.title)
    camera.take(page, "thanks-on-disk")


def take_researcher(context: BrowserContext, _studio: Studio, camera: Camera, _way: Way) -> None:
    """The researcher's page, after all that."""
    page = context.new_page()
    page.goto(f"{PILOT.url}/status/{RESEARCHER}")
    page.goto(f"{MAIN.url}/status/{RESEARCHER}")
    camera.take(page, "status")


if __name__ == "__main__":
    sys.exit(main())
