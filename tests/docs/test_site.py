"""The documentation site: every page in it, and nothing that asks another machine for anything."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOADED = {"script": "src", "img": "src", "iframe": "src", "link": "href", "source": "src"}


class _Loaded(HTMLParser):
    """What a page loads by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        address = dict(attributes).get(LOADED.get(tag, ""))
        if address is not None:
            self.addresses.append(address)


def test_the_site_holds_every_page_and_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    wanted = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    wanted = {page.with_name("index.html") if page.name == "README.html" else page for page in wanted}
    assert {page for page in wanted if not (tmp_path / page).is_file()} == set()
    for page in tmp_path.rglob("*.html"):
        text = page.read_text("utf-8")
        assert not re.search(r'class="mermaid"', text), f"{page.name}: a diagram that another machine would draw"
        loaded = _Loaded()
        loaded.feed(text)
        assert loaded.addresses
        assert [address for address in loaded.addresses if re.match(r"(https?:)?//", address)] == [], page.name
