"""`limen review` in a real browser: by keys alone, what is decided stays, nothing leaves the machine."""

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from commands import ENVIRONMENT, a_server, an_example_study, limen
from journey.page.access import check_access
from journey.page.conftest import Watch
from studies import QUALIFIES, STAND_IN_PAGE


@contextmanager
def reviewing(folder: Path) -> Iterator[str]:
    """Run the command until the test is done with it, and give the link that it prints."""
    command = [sys.executable, "-m", "limen", "review", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/\S{22}/", line)
        assert found, f"no link in {line!r}"
        yield found.group()
        process.send_signal(signal.SIGTERM)
        rest, problems = process.communicate(timeout=20)
        assert "every decision is stored" in rest
        assert problems == ""
        assert process.returncode == 0
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An example study in which one log names its speaker, uses markdown and has no topic."""
    folder = tmp_path_factory.mktemp("review") / "study"
    assert limen("init", folder, "--example").code == 0
    log = folder / "logs" / "example.jsonl"
    lines = []
    for line in log.read_text().splitlines():
        if '"example:theatre-photos"' in line:
            record = json.loads(line)
            record["topic"] = None
            for turn in record["turns"]:
                if turn["role"] == "assistant" and len(turn["text"].split()) > 200:
                    turn["text"] = "As **ChatGPT** I'd say: <b>hello</b>.\n\n" + turn["text"]
            lines.append(json.dumps(record))
        else:
            lines.append(line)
    log.write_text("\n".join(lines) + "\n")
    done = limen("pairs", log, "--study", folder)
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(prepared, tmp_path / "study"))


def _decisions(folder: Path) -> list[dict[str, object]]:
    return list(json.loads((folder / "stimuli" / "review.json").read_text())["decisions"])


def _pairs(folder: Path) -> dict[str, dict[str, object]]:
    found = json.loads((folder / "stimuli" / "extreme_pairs.json").read_text())["pairs"]
    return {pair["pair_id"]: pair for pair in found}


def _heading(page: Page, text: str) -> None:
    expect(page.locator("h1")).to_have_text(text)


def test_every_pair_can_be_approved_by_keys_alone_and_the_study_knows(
    desktop: BrowserContext, folder: Path, watch: Watch
) -> None:
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(link)
        _heading(page, "20 of 20 pairs to read")
        page.keyboard.press("j")
        for pair_id, pair in _pairs(folder).items():
            _heading(page, pair_id)
            shown = page.locator(".response .text")
            assert shown.nth(0).inner_text() == pair["response_a"]["text"]  # type: ignore[index]
            assert shown.nth(1).inner_text() == pair["response_b"]["text"]  # type: ignore[index]
            page.keyboard.press("a")
        _heading(page, "Every pair is approved")
        assert all(url.startswith((link.split("/", 3)[0], "data:")) and "127.0.0.1" in url for url in watch.requests)
    assert [d["action"] for d in _decisions(folder)] == ["approve"] * 20
    assert "unreviewed" not in limen("check", folder).out


def test_keys_go_back_and_forth_and_can_be_switched_off(desktop: BrowserContext, folder: Path) -> None:
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(f"{link}pairs/BASE_01")
        page.keyboard.press("k")
        _heading(page, "CAT_10")
        page.keyboard.press("j")
        _heading(page, "BASE_01")
        page.get_by_role("button", name="Keys on").click()
        page.keyboard.press("j")
        _heading(page, "BASE_01")
        page.reload()
        page.keyboard.press("a")
        page.get_by_role("button", name="Keys off").click()
        page.keyboard.press("o")
        _heading(page, "20 of 20 pairs to read")


def test_a_pair_is_replaced_by_the_next_best_of_its_slot_and_the_reason_is_kept(
    desktop: BrowserContext, folder: Path
) -> None:
    before = _pairs(folder)
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(f"{link}pairs/CAT_05")
        page.keyboard.press("r")
        expect(page.locator("#reason")).to_be_focused()
        page.keyboard.type("the excerpt ends in a list, jar and all")  # letters are letters here
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("Replaced")
        _heading(page, "CAT_05")
    after = _pairs(folder)
    changed = [pair_id for pair_id in before if before[pair_id] != after[pair_id]]
    assert changed == ["CAT_05"]
    for same in ("condition", "provider"):
        assert before["CAT_05"][same] == after["CAT_05"][same]
    (decision,) = _decisions(folder)
    assert decision["reason"] == "the excerpt ends in a list, jar and all"
    assert decision["conversation_id"] == before["CAT_05"]["conversation_id"]
    assert decision["replaced_by"] == after["CAT_05"]["conversation_id"]
    check = limen("check", folder)
    assert check.code == 0, check.out
    assert "20 of 20 pairs unreviewed" in check.out
    markdown = (folder / "stimuli" / "extreme_pairs.md").read_text()
    assert str(after["CAT_05"]["conversation_id"]) in markdown


def test_a_rejected_pair_stops_the_study_until_the_pairs_are_chosen_anew(desktop: BrowserContext, folder: Path) -> None:
    conversation = _pairs(folder)["BASE_02"]["conversation_id"]
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(f"{link}pairs/BASE_02")
        page.keyboard.press("x")
        expect(page.locator("#reason")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.locator("#reason")).to_have_count(0)
        page.keyboard.press("x")
        page.locator("#reason").fill("names a real person")
        page.keyboard.press("Enter")
        _heading(page, "BASE_03")
        expect(page.locator("nav")).to_contain_text("BASE_02, rejected")
    check = limen("check", folder)
    assert check.code == 3
    assert "BASE_02: rejected in review: names a real person" in check.out
    assert limen("pairs", folder / "logs", "--study", folder).code == 0
    assert conversation not in [pair["conversation_id"] for pair in _pairs(folder).values()]
    assert limen("check", folder).code == 0


def test_a_proposed_context_is_edited_audited_and_survives_a_new_choice(desktop: BrowserContext, folder: Path) -> None:
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(f"{link}pairs/BASE_03")
        expect(page.locator(".context")).to_contain_text("proposed")
        page.keyboard.press("e")
        for wrong, why in (
            ("A talk with ChatGPT about plays.", "names a speaker: ChatGPT"),
            ("How drift is detected.", "tells the hypothesis: detected, drift"),
        ):
            page.locator("#context").fill(wrong)
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_contain_text(why)
            expect(page.locator("#context")).to_have_value(wrong)
        page.locator("#context").fill("A discussion about photographs of a play.")
        page.keyboard.press("Enter")
        expect(page.get_by_role("status")).to_contain_text("context is changed")
        expect(page.locator(".context p")).to_have_text("A discussion about photographs of a play.")
        expect(page.locator(".context")).not_to_contain_text("proposed")
        page.keyboard.press("a")
        _heading(page, "BASE_04")
    assert "context proposed" not in limen("check", folder).out
    assert limen("pairs", folder / "logs", "--study", folder).code == 0
    assert _pairs(folder)["BASE_03"]["context"] == "A discussion about photographs of a play."
    assert "19 of 20 pairs unreviewed" in limen("check", folder).out


def test_what_was_scrubbed_is_shown_as_text(desktop: BrowserContext, folder: Path) -> None:
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(f"{link}pairs/BASE_03")
        changes = page.locator(".changes").first
        expect(changes.locator("del").first).to_contain_text("**ChatGPT**")
        expect(changes.locator("ins").first).to_contain_text("[AI]")
        expect(changes.locator(".scrubs")).to_contain_text("model: ChatGPT")
        expect(page.locator(".response .text").first).to_contain_text("<b>hello</b>")
        assert page.locator("main b").count() == 0
        page.keyboard.press("d")
        expect(changes).not_to_have_attribute("open", "")
        page.keyboard.press("d")
        expect(changes).to_have_attribute("open", "")


def test_no_pair_changes_once_live_sessions_exist(desktop: BrowserContext, folder: Path) -> None:
    before = _pairs(folder)
    _one_live_session(folder)
    with reviewing(folder) as link:
        page = desktop.new_page()
        for key in ("r", "x"):
            page.goto(f"{link}pairs/CAT_05")
            page.keyboard.press(key)
            page.locator("#reason").fill("too late")
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_contain_text("Live sessions exist")
        page.goto(f"{link}pairs/CAT_05")
        page.keyboard.press("a")
        _heading(page, "CAT_06")
    assert _pairs(folder) == before
    assert [d["action"] for d in _decisions(folder)] == ["approve"]


def _one_live_session(folder: Path) -> None:
    (folder / "page.html").write_text(STAND_IN_PAGE)
    with a_server(folder) as server:
        page = httpx.get(f"{server.participants}/").text
        boot = json.loads(re.search(r'id="limen-boot">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
        body = {"consent_version": boot["study"]["consent_version"], "screening": QUALIFIES, "tab": "tab-1"}
        assert httpx.post(f"{server.participants}/api/sessions", json=body).status_code == 201
        server.terminate()


def test_it_has_no_barriers_in_light_and_dark_wide_and_narrow(desktop: BrowserContext, folder: Path, axe: str) -> None:
    with reviewing(folder) as link:
        page = desktop.new_page()
        page.goto(f"{link}pairs/BASE_01")
        page.keyboard.press("a")
        _heading(page, "BASE_02")
        page.keyboard.press("x")
        page.locator("#reason").fill("no")
        page.keyboard.press("Enter")
        _heading(page, "BASE_03")
        for path in (
            "",
            "pairs/BASE_01",
            "pairs/BASE_02",
            "pairs/BASE_03",
            "pairs/BASE_03?do=context",
            "pairs/CAT_05?do=replace",
        ):
            page.goto(link + path)
            check_access(page, axe)


def test_only_this_machine_only_with_the_secret_only_under_its_own_name(folder: Path) -> None:
    with reviewing(folder) as link:
        base, secret = link.rstrip("/").rsplit("/", 1)
        assert httpx.get(link).status_code == 200
        assert httpx.get(f"{base}/{'A' * 22}/").status_code == 404
        assert httpx.get(f"{base}/").status_code == 404
        assert httpx.get(link, headers={"Host": "evil.example"}).status_code == 404
        policy = httpx.get(link).headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        form = {"action": "approve", "shown": "x"}
        other_site = {"Sec-Fetch-Site": "cross-site"}
        assert httpx.post(f"{link}pairs/BASE_01", data=form, headers=other_site).status_code == 403
        assert httpx.post(f"{link}pairs/BASE_01", data=form).status_code == 409  # of another version of the pair
        assert httpx.post(f"{link}pairs/BASE_01", data={"action": "burn"}).status_code == 422
        assert httpx.get(f"{link}pairs/NONE_01").status_code == 404
        assert secret not in (folder / "stimuli" / "extreme_pairs.md").read_text()
    assert not (folder / "stimuli" / "review.json").exists()


def test_without_pairs_the_command_says_what_to_do(tmp_path: Path) -> None:
    assert limen("init", tmp_path / "study").code == 0
    done = limen("review", tmp_path / "study")
    assert done.code == 3
    assert "limen pairs" in done.err
    assert limen("review", tmp_path / "nowhere").code == 2
    study = an_example_study(tmp_path / "full")
    (study / "stimuli" / "review.json").write_text("{")
    done = limen("review", study)
    assert done.code == 2
    assert "review.json" in done.err
