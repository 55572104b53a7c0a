"""The one HTML file that the page is built into."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "src" / "limen" / "survey" / "built"


@pytest.fixture(scope="module")
def html() -> str:
    subprocess.run([ROOT / "scripts" / "build-page"], check=True)
    return (BUILT / "page.html").read_text("utf-8")


def test_it_is_small(html: str) -> None:
    assert len(gzip.compress(html.encode(), compresslevel=6)) <= 15_000


def test_it_has_two_placeholders_two_scripts_and_one_style(html: str) -> None:
    assert re.findall(r"<script[^>]*>__LIMEN_BOOT__</script>", html) == [
        '<script type="application/json" id="limen-boot">__LIMEN_BOOT__</script>'
    ]
    assert html.count("__LIMEN_BOOT__") == 1
    assert html.count('<main class="column">__LIMEN_FIRST__</main>') == html.count("__LIMEN_FIRST__") == 1
    assert html.count("<script>") == 2  # whether somebody was here before, and the page
    assert html.count("<style>") == 1
    assert not re.search(r"<[^>]+\s(on\w+|style)=", html)


def test_it_asks_nobody_else_and_draws_no_lots(html: str) -> None:
    assert not re.search(r"https?://|@import|url\(", html)
    assert not re.search(r"Math\.random|innerHTML|insertAdjacentHTML|document\.write|\beval\(", html)


def test_it_gives_nothing_away(html: str) -> None:
    technical = ("limen-boot", "__LIMEN_BOOT__", "__LIMEN_FIRST__", "X-Limen-Mode", "limen.responses/1")
    text = html
    for name in technical:
        text = text.replace(name, "")
    assert not re.search(r"drift|detect|threshold|boundar|identit|limen", text, re.IGNORECASE)


def test_it_is_built_again_only_when_its_inputs_change(html: str, tmp_path: Path) -> None:
    """In a copy, so that no other test meets a page that is being made."""
    shutil.copytree(ROOT / "page", tmp_path / "page", ignore=shutil.ignore_patterns("node_modules"))
    (tmp_path / "page" / "node_modules").symlink_to(ROOT / "page" / "node_modules")
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(ROOT / "scripts" / "build-page", tmp_path / "scripts")
    page = tmp_path / BUILT.relative_to(ROOT) / "page.html"

    def built_anew() -> bool:
        before = page.stat().st_ino if page.exists() else None
        subprocess.run([script], check=True)
        return page.stat().st_ino != before

    assert built_anew()
    assert page.read_text("utf-8") == html
    assert not built_anew()
    with (tmp_path / "page" / "src" / "styles.css").open("a") as styles:
        styles.write("main { color: rebeccapurple }")
    assert built_anew()
    assert page.read_text("utf-8") != html
    assert not built_anew()
    page.unlink()
    assert built_anew()
