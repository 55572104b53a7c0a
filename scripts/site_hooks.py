"""How the documentation site differs from the pages in the repository: its order, and links that leave docs/."""

import re
from pathlib import Path
from typing import Any

SECTIONS = {
    "Learn it": "tutorial",
    "Do something": "how-to",
    "Look something up": "reference",
    "Understand it": "explanation",
    "Decisions": "adr",
}
_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\((\.\./[^)\s]*)\)")


def on_config(config: Any) -> Any:
    """Put the pages in the order in which a reader needs them; a new page comes into its section by itself."""
    docs = Path(config.docs_dir)
    config.nav = [{"Limen": "index.md"}] + [{title: _pages(docs, folder)} for title, folder in SECTIONS.items()]
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Name a file of the repository where the page in it links to one: the site does not hold it."""
    docs = Path(config.docs_dir).resolve()
    here = Path(page.file.abs_src_path).parent

    def named(link: re.Match[str]) -> str:
        target = (here / link[2].partition("#")[0]).resolve()
        return link[0] if target.is_relative_to(docs) else link[1]

    return _LINK.sub(named, markdown)


def _pages(docs: Path, folder: str) -> list[str]:
    found = sorted(docs.glob(f"{folder}/*.md"), key=lambda page: (page.name != "README.md", page.name))
    return [page.relative_to(docs).as_posix() for page in found]
