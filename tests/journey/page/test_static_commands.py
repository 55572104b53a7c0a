"""The file that `limen page` writes, in a browser without a network, and its answers back by `limen collect`."""

import csv
import shutil
from pathlib import Path

from playwright.sync_api import Browser, BrowserContext, Page

from commands import limen
from journey.page.conftest import Watch
from journey.page.participant import Participant, mixed
from limen.core.blinding import BlindedStudy


def saved(page: Page, button: str, folder: Path) -> Path:
    """Press the button that saves; give the file where the rater puts it."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    file = folder / f"{len(list(folder.iterdir()))}_{download.value.suggested_filename}"
    download.value.save_as(file)
    return file


def test_a_page_is_written_answered_without_a_network_and_collected(
    browser: Browser, desktop: BrowserContext, watch: Watch, example_study: Path, study: BlindedStudy, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(example_study, tmp_path / "study"))
    made = limen("page", folder, "--out", folder / "survey.html", "--sessions", 2)
    assert made.code == 0, made.err
    with (folder / "invitations.csv").open() as file:
        invitation = next(csv.DictReader(file))
    address = f"{folder.as_uri()}/{invitation['link']}"
    responses = tmp_path / "responses"
    responses.mkdir()

    desktop.set_offline(True)
    page = desktop.new_page()
    rater = Participant(page, study, hasty=True)
    page.goto(address)
    rater.begin()
    rater.practice()
    rater.trials(mixed(3))
    early = saved(page, "Save", responses)
    rater.trials(mixed(study.trial_count)[3:], first=4)
    rater.strategy()
    rater.demographics()
    rater.sees("SAVE YOUR ANSWERS")
    whole = saved(page, "SAVE THE FILE", responses)
    code = page.locator("#withdrawal").inner_text()
    assert whole.name.endswith(f"responses_{invitation['code']}.json")
    assert [a for a in watch.requests if not a.startswith(("file:", "blob:"))] == []

    other_browser = browser.new_context(offline=True, accept_downloads=True)
    other = Participant(other_browser.new_page(), study, hasty=True)
    other.page.goto(address)  # the same invitation, by somebody else
    other.begin()
    other.practice()
    other.trials(mixed(1))
    second = saved(other.page, "Save", responses)
    other_browser.close()

    done = limen("collect", folder, early, whole, second)
    assert done.code == 0, done.out + done.err
    first, rest, shared = done.out.splitlines()[:3]
    assert "P001: 3 answers added, 0 known" in first
    assert "P001: 20 answers added, 3 known" in rest
    assert "P002: 1 answer added, 0 known; its plan was answered by someone else too" in shared
    again = limen("collect", folder, whole)
    assert "P001: 0 answers added, 23 known" in again.out
    assert "1 of 10 raters have finished" in limen("status", folder).out
    assert "deleted" in limen("withdraw", folder, code).out
    assert "withdrawn before" in limen("collect", folder, whole).out
