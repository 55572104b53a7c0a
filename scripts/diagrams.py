"""Draws the diagrams of the documentation: docs/pictures/*.svg, readable in light and dark.

Without an argument they are written. With --check nothing is written: stale ones are named, and the exit code is 1
when there are any.
"""

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"

_STYLE = """
  .box { fill: #fffefb; stroke: #85807a; } .band { fill: #f5f4f0; stroke: #dedad2; }
  .title { fill: #1d1c1a; font-weight: 600; font-size: 15px; } .note { fill: #5c5954; font-size: 12.5px; }
  .way { stroke: #2f4f8f; stroke-width: 1.6; fill: none; } .head { fill: #2f4f8f; }
  text { font-family: system-ui, "Liberation Sans", Arial, sans-serif; text-anchor: middle; }
  @media (prefers-color-scheme: dark) {
    .box { fill: #1b1d20; stroke: #7f8087; } .band { fill: #131416; stroke: #313439; }
    .title { fill: #eceae6; } .note { fill: #aaa69f; } .way { stroke: #a9c1f5; } .head { fill: #a9c1f5; }
  }"""

_WAY = (
    (
        ("logs", "JSON, JSONL, Parquet,", "exports of many tools"),
        ("replies with drift", "recorded,", "or measured"),
        ("candidate pairs", "an early and a later reply,", "scrubbed, 200–300 words"),
        ("the balanced set", "20 pairs and", "3 attention checks"),
        ("check and review", "limen check,", "limen review"),
    ),
    (
        ("survey", "blinded; in the browser,", "or one file by e-mail"),
        ("answers", "each on disk before", "the page says so"),
        ("who counts", "exclusions by declared", "rule, with evidence"),
        ("estimates", "as specified, with", "a companion beside"),
        ("outcome, report", "A, B or C, and", "what the data support"),
    ),
)

_LAYERS = (
    (("cli", "a module a command; puts the parts together"),),
    (("web", "the participants' and the researcher's pages"),),
    (
        ("demo", "example"),
        ("report", "HTML, figures"),
        ("survey", "what crosses"),
        ("dataset", "result files"),
        ("logs", "readers"),
        ("study", "study.toml"),
        ("metrics", "drift"),
        ("raters", "simulated"),
        ("storage", "the store"),
    ),
    (("workflow", "use cases, and in ports.py what they need from outside"),),
    (("core", "pure steps from values to values: no files, no clock, no dice of its own"),),
    (("errors", "everything that is raised on purpose"),),
)


def pictures() -> dict[str, str]:
    """Give every diagram by its file name."""
    return {"way-of-the-data.svg": _way_of_the_data(), "layers.svg": _layers()}


def stale() -> list[str]:
    """Name the diagrams that are missing or differ from what would be drawn."""
    return [name for name, drawn in pictures().items() if _read(PICTURES / name) != drawn]


def main(arguments: list[str]) -> int:
    """Write the diagrams, or say which are stale."""
    if arguments not in ([], ["--check"]):
        sys.stderr.write("usage: diagrams.py [--check]\n")
        return 2
    names = stale()
    for name in names:
        if arguments:
            sys.stderr.write(f"stale: docs/pictures/{name}; run scripts/fix\n")
        else:
            PICTURES.mkdir(exist_ok=True)
            (PICTURES / name).write_text(pictures()[name], "utf-8")
    return int(bool(arguments and names))


def _way_of_the_data() -> str:
    width, height, gap, left, top = 172, 78, 22, 16, 84
    decided = "everything that is decided beforehand: conditions, quota, checks, rules, and every word that is shown"
    parts = list(_box(left, 10, 5 * width + 4 * gap, 52, "study.toml", (decided,), "band"))
    for row, steps in enumerate(_WAY):
        y = top + row * (height + 46)
        for column, (title, *notes) in enumerate(steps):
            x = left + column * (width + gap)
            parts += _box(x, y, width, height, title, tuple(notes), "box")
            if column:
                parts.append(_arrow(f"M{x - gap},{y + height / 2} H{x - 3}"))
    turn = top + height
    last, first = left + 4 * (width + gap) + width / 2, left + width / 2
    parts.append(_arrow(f"M{last},{turn} V{turn + 23} H{first} V{turn + 43}"))
    words = "The way of the data: " + ", then ".join(title for steps in _WAY for title, *_ in steps)
    return _svg(2 * left + 5 * width + 4 * gap, top + 2 * height + 62, words, parts)


def _layers() -> str:
    width, height, gap, left = 960, 54, 26, 14
    parts: list[str] = []
    for row, boxes in enumerate(_LAYERS):
        y = 14 + row * (height + gap)
        each = (width - 8 * (len(boxes) - 1)) / len(boxes)
        for column, (title, note) in enumerate(boxes):
            parts += _box(left + column * (each + 8), y, each, height, title, (note,), "box")
        if row:
            parts.append(_arrow(f"M{left + width / 2},{y - gap} V{y - 3}"))
    words = "Who may import whom, from top to bottom: " + "; ".join(", ".join(n for n, _ in row) for row in _LAYERS)
    return _svg(width + 2 * left, 28 + len(_LAYERS) * (height + gap) - gap, words, parts)


def _box(
    x: float, y: float, width: float, height: float, title: str, notes: tuple[str, ...], kind: str
) -> Iterator[str]:
    middle = x + width / 2
    yield f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="9"/>'
    yield f'<text class="title" x="{middle:g}" y="{y + 22 if len(notes) == 1 else y + 25:g}">{escape(title)}</text>'
    for line, note in enumerate(filter(None, notes)):
        below = y + (42 if len(notes) == 1 else 46) + 17 * line
        yield f'<text class="note" x="{middle:g}" y="{below:g}">{escape(note)}</text>'


def _arrow(path: str) -> str:
    return f'<path class="way" marker-end="url(#head)" d="{path}"/>'


def _svg(width: float, height: float, words: str, parts: list[str]) -> str:
    head = '<marker id="head" markerWidth="8" markerHeight="8" refX="5" refY="3" orient="auto">'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">',
            f"<title>{escape(words)}</title>",
            f"<style>{_STYLE}\n</style>",
            f'<defs>{head}<path class="head" d="M0,0 L6,3 L0,6 z"/></marker></defs>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
