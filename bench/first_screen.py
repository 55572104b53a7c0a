"""What a participant waits for: bytes and requests to the first screen and to trial 1, first paint beside oTree's.

Both run as their own servers, and the same browser opens them on the same slow line (1.6 Mbit/s, 150 ms; an empty cache
every time), in turns. Requests are counted by Limen's server itself, so that one for an icon would be among them.
"""

import asyncio
import os
import re
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from load import free_port
from machine import Row, keep, missing
from page import BYTES_A_SECOND, LATENCY_S, PAINTED, slow_down
from peers import OTREE, install, otree, otree_pages
from playwright.sync_api import Browser, sync_playwright
from subjects import Subject, a_study, limen

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))  # the participant who walks through the tests walks through here too

from journey.page.conftest import BROWSERS, FLAGS  # noqa: E402
from journey.page.participant import Participant  # noqa: E402
from journey.page.study import example_stimuli  # noqa: E402
from limen.core.blinding import BlindedStudy, blind_study  # noqa: E402
from limen.study.protocol_file import built_in_protocol  # noqa: E402

ROUNDS = int(os.environ.get("LIMEN_BENCH_ROUNDS", "15"))
OUT = Path("out/bench").resolve()
FIRST_PAINT = "first paint over oTree's, 1.6 Mbit/s"


class Visit:
    """Someone who opens a page on the slow line; bytes are counted as they come over it, heads included."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._context = browser.new_context(viewport={"width": 390, "height": 844})
        self.page = self._context.new_page()
        self.bytes = 0
        devtools = slow_down(self.page)
        devtools.send("Network.enable")
        line = {"latency": 1000 * LATENCY_S, "downloadThroughput": BYTES_A_SECOND, "uploadThroughput": BYTES_A_SECOND}
        devtools.send("Network.emulateNetworkConditions", {"offline": False, **line})
        devtools.on("Network.loadingFinished", self._count)
        self.page.goto(address)

    def _count(self, event: dict[str, Any]) -> None:
        self.bytes += int(event["encodedDataLength"])

    def painted_ms(self) -> float:
        """Give when something was painted first."""
        return float(self.page.evaluate(PAINTED))

    def close(self) -> None:
        """Leave."""
        self._context.close()


def answered(subject: Subject, study: Path) -> dict[str, int]:
    """Give how many requests the server has answered so far, by pattern; those for these counts are left out."""
    secret = (study / "researcher.key").read_text().strip()
    with urllib.request.urlopen(f"http://{subject.host}/metrics/{secret}") as answer:
        text = answer.read().decode()
    found = re.findall(r'^limen_requests_total\{route="([^"]+)",method="(\w+)"[^}]*\} (\d+)', text, re.MULTILINE)
    counts: dict[str, int] = {}
    for route, method, n in found:
        if not route.startswith("/metrics"):
            counts[f"{method} {route}"] = counts.get(f"{method} {route}", 0) + int(n)
    return counts


def since(before: dict[str, int], now: dict[str, int]) -> dict[str, int]:
    """Give what was asked between two counts."""
    return {what: n - before.get(what, 0) for what, n in now.items() if n > before.get(what, 0)}


def walk(browser: Browser, subject: Subject, folder: Path, study: BlindedStudy) -> list[Row]:
    """Go from the link to trial 1, and count what crosses the line on the way."""
    before = answered(subject, folder)
    visit = Visit(browser, f"http://{subject.host}/")
    rater = Participant(visit.page, study)
    rater.sees(study.wording.consent.title)
    visit.page.wait_for_timeout(2000)  # whatever the page and the browser ask for by themselves
    at_first = answered(subject, folder)
    first_bytes = visit.bytes
    rater.consent()
    rater.screen()
    rater.sees(study.wording.instructions.title)
    visit.page.wait_for_timeout(2000)
    at_begin = answered(subject, folder)
    rater.press(study.wording.instructions.button)
    rater.practice()
    rater.sees(f"TRIAL 1 of {study.trial_count}")
    visit.page.wait_for_timeout(1000)
    asked = since(at_begin, answered(subject, folder))
    visit.close()
    own = {what: n for what, n in asked.items() if "/practice/" not in what}  # answers are the participant's
    to_first = since(before, at_first)
    return [
        Row(
            what="requests to the first screen, icon included",
            values=[sum(to_first.values())],
            goal=3,
            unit="",
            note=str(to_first),
        ),
        Row(what="bytes to the first screen", values=[first_bytes], goal=20_000, unit="bytes"),
        Row(
            what="requests between begin and trial 1, besides the two practice answers",
            values=[sum(own.values())],
            goal=2,
            unit="",
            note=str(own),
        ),
    ]


def paints(browser: Browser, ours: str, theirs: Sequence[str]) -> Row:
    """Hold the first paint against that of the first pages of an oTree study; the first turn warms up."""
    times: dict[str, list[float]] = {"limen_ms": [], "otree_ms": []}
    for page in theirs:
        for name, address in (("limen_ms", ours), ("otree_ms", page)):
            visit = Visit(browser, address)
            times[name].append(visit.painted_ms())
            visit.close()
    figures: dict[str, float | list[float]] = {name: values[1:] for name, values in times.items()}
    ratios = [mine / other for mine, other in zip(times["limen_ms"][1:], times["otree_ms"][1:], strict=True)]
    return Row(what=FIRST_PAINT, values=ratios, goal=0.4, figures=figures)


@contextmanager
def otree_addresses() -> Iterator[list[str] | None]:
    """Give the first pages of an oTree study, each for one participant; None where it cannot be installed."""
    programs = install(OUT / "peers", OTREE)
    if programs is None:
        yield None
        return
    with otree(programs, OUT / "otree", free_port()) as other:
        paths = asyncio.run(otree_pages(other, ROUNDS + 1))
        yield [f"http://{other.host}{path}" for path in paths]


def main() -> int:
    """Measure, print, and write the result."""
    OUT.mkdir(parents=True, exist_ok=True)
    folder = a_study(OUT, "first-screen")
    with tempfile.TemporaryDirectory() as place:
        study = blind_study(built_in_protocol(), example_stimuli(Path(place)))
    with limen(folder) as subject, otree_addresses() as pages, sync_playwright() as driver:
        found = next(filter(None, map(shutil.which, BROWSERS)), None)
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        rows = walk(browser, subject, folder, study)
        nothing = missing(FIRST_PAINT, "oTree could not be installed")
        rows.append(nothing if pages is None else paints(browser, f"http://{subject.host}/", pages))
        browser.close()
    return keep("first_screen", rows, rounds=ROUNDS)


if __name__ == "__main__":
    sys.exit(main())
