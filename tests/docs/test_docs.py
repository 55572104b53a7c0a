"""The documentation says what is so: pages are fresh, links resolve, commands print what stands under them."""

import dataclasses
import importlib.util
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import msgspec
import pytest
import typer

from limen import __version__, errors
from limen.cli.main import command_line
from limen.core import analysis
from limen.core.funnel import DropReason, FunnelStep
from limen.core.log_problems import Problems
from limen.core.scrubbing import Scrub, ScrubKind
from limen.core.stimuli import CheckStimulus, Shortfall
from limen.demo.example import example_log
from limen.logs.format import known_formats
from limen.logs.formats.canonical import ConversationRecord, DriftRecord, TurnRecord
from limen.metrics.registry import MetricShelf
from limen.study.pairs_file import PairRecord, PairsMetadata, ResponseRecord, ScrubRecord
from limen.workflow.ports import SourceFile

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]


def _script(name: str) -> ModuleType:
    if str(ROOT / "scripts") not in sys.path:
        sys.path.append(str(ROOT / "scripts"))  # as it is when a script runs
    spec = importlib.util.spec_from_file_location(f"limen_script_{name}", ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _text(place: str) -> str:
    return (DOCS / place).read_text("utf-8")


def _without_code(text: str) -> str:
    return re.sub(r"^(```|~~~).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def _anchors(page: Path) -> set[str]:
    """Give the anchors of a page as GitHub makes them from its headings."""
    headings = re.findall(r"^#+ (.+)$", _without_code(page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# ---- what is generated ------------------------------------------------------------------------------------


def test_generated_pages_are_fresh() -> None:
    assert _script("reference").stale() == []


def test_diagrams_are_fresh() -> None:
    assert _script("diagrams").stale() == []


def test_a_stale_page_is_named(tmp_path: Path) -> None:
    reference = _script("reference")
    for name, data in reference.pages().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    assert reference.stale(tmp_path) == []
    (tmp_path / "commands.md").write_text("old")
    (tmp_path / "schemas" / "gone.schema.json").write_text("{}")
    assert reference.stale(tmp_path) == ["commands.md", "schemas/gone.schema.json"]


@pytest.mark.parametrize("written", _script("transcripts").pages_with_transcripts(), ids=_name)
def test_every_console_block_prints_what_the_page_says(written: Path) -> None:
    assert _script("transcripts").replayed(written) == written.read_text("utf-8")


def test_a_console_block_that_says_something_else_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```console\n$ limen --version\nlimen 0.0.0\n$ limen nonsense\n$ echo $?\n0\n```\n")
    replayed = _script("transcripts").replayed(page)
    assert f"$ limen --version\nlimen {__version__}\n" in replayed
    assert "No such command 'nonsense'" in replayed
    assert replayed.endswith("$ echo $?\n2\n```\n")


def test_the_tutorials_are_played() -> None:
    played = {_name(page) for page in _script("transcripts").pages_with_transcripts()}
    assert {"docs/tutorial/first-study.md", "docs/tutorial/from-logs-to-pairs.md"} <= played


# ---- what is there ----------------------------------------------------------------------------------------


def _links() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", _without_code(page.read_text("utf-8"))):
            if not re.match(r"[a-z]+:", target):
                yield page, target


def test_every_relative_link_and_image_resolves() -> None:
    broken = []
    for page, target in _links():
        place, _, anchor = target.partition("#")
        file = (page.parent / place).resolve() if place else page
        if not file.exists() or (anchor and anchor not in _anchors(file)):
            broken.append(f"{_name(page)}: {target}")
    assert broken == []


def test_every_page_is_reached_from_the_index() -> None:
    linked: set[Path] = set()
    new = {DOCS / "index.md"}
    while new:
        linked |= new
        new = {(page.parent / target.partition("#")[0]).resolve() for page, target in _links() if page in new} - linked
    assert [_name(page) for page in sorted(DOCS.rglob("*.md")) if page not in linked] == []


def test_no_page_names_a_place_on_a_machine() -> None:
    pattern = re.compile(r"(?<![\w.])/(?:home|root|Users|tmp|work|var|mnt|opt|private)/\w|[A-Z]:\\\w")
    files = [*PAGES, ROOT / "CITATION.cff", *DOCS.rglob("*.json")]
    assert [_name(file) for file in files if pattern.search(file.read_text("utf-8"))] == []


def test_the_version_is_the_same_everywhere() -> None:
    assert f"\nversion: {__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"limen {__version__}" in _text("reference/formats.md")


# ---- what is documented -----------------------------------------------------------------------------------


def test_every_command_argument_and_option_is_in_the_reference() -> None:
    text = _text("reference/commands.md")
    group: Any = typer.main.get_command(command_line())
    for name, command in _script("reference").commands(group):
        section = text.partition(f"## limen {name}\n")[2].partition("\n## ")[0]
        for parameter in command.params:
            shown = [parameter.metavar] if parameter.param_type_name == "argument" else parameter.opts
            assert all(f"`{label}" in section for label in shown), f"limen {name}: {shown}"
    assert all(f"`{option}" in text for parameter in group.params for option in parameter.opts)


FILE_TYPES = (
    ConversationRecord,
    DriftRecord,
    TurnRecord,
    PairsMetadata,
    PairRecord,
    ResponseRecord,
    ScrubRecord,
    Scrub,
    SourceFile,
    Shortfall,
    FunnelStep,
    Problems,
    CheckStimulus,
)


@pytest.mark.parametrize("kind", FILE_TYPES, ids=lambda kind: str(kind.__name__))
def test_every_field_of_a_file_is_in_formats(kind: type) -> None:
    text = _text("reference/formats.md")
    names = [
        f.name for f in (dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else msgspec.structs.fields(kind))
    ]
    missing = [name for name in names if not re.search(rf"`(?:[\w\[\]]+\.)?{name}(?:\[\])?`", text)]
    assert missing == []


def test_every_reason_format_metric_error_and_scrub_is_documented() -> None:
    funnel = _text("how-to/mend-an-incomplete-set.md")
    assert [reason for reason in DropReason if f"`{reason}`" not in funnel] == []
    formats = _text("how-to/read-your-logs.md")
    assert [known.name for known in known_formats() if known.name not in formats] == []
    metrics = _text("reference/drift-metrics.md")
    assert [name for name in MetricShelf().names() if f"`{name}`" not in metrics] == []
    tree = _text("reference/errors-and-exit-codes.md")
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.LimenError)]
    assert [kind.__name__ for kind in kinds if f"| `{kind.__name__}` | {kind.exit_code} |" not in tree] == []
    scrubbed = _text("explanation/what-is-scrubbed.md")
    assert [kind for kind in ScrubKind if f"| `{kind}` |" not in scrubbed] == []


def test_every_package_is_in_the_layout_and_the_contract_that_contributing_tells() -> None:
    told = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    contract = (ROOT / ".importlinter").read_text("utf-8")
    layers = re.split(r"[|\s]+", re.search(r"containers = limen\n.*?layers =\n(.*?)\n\n", contract, re.DOTALL)[1])  # type: ignore[index]
    packages = [folder.name for folder in (ROOT / "src" / "limen").iterdir() if (folder / "__init__.py").is_file()]
    assert len(packages) > 10
    for package in packages:
        assert package in layers
        assert re.search(rf"^  {package}/ ", told, re.MULTILINE), f"{package}/ is not in the layout"
        assert f"`{package}`" in told.partition("## Import contracts")[2].partition("##")[0]


def test_every_measure_with_a_source_is_on_its_page() -> None:
    page = _text("reference/measures.md")
    names = [
        name
        for found in pkgutil.iter_modules(analysis.__path__)
        for name, function in vars(importlib.import_module(f"{analysis.__name__}.{found.name}")).items()
        if inspect.isfunction(function) and "Source:" in (function.__doc__ or "")
    ]
    assert len(names) > 20
    assert [name for name in names if f"### {name}\n" not in page] == []


def test_the_figures_of_what_ten_raters_can_show_were_measured() -> None:
    measured = json.loads((ROOT / "bench" / "results" / "small_study.json").read_text("utf-8"))
    page = _text("explanation/what-ten-raters-can-show.md")
    rows = [line for line in page.splitlines() if line.startswith("| notice")]
    assert len(rows) == len(measured["rows"])
    for row, found in zip(rows, measured["rows"], strict=True):
        rates = f"({found['off_rate_target']:.0%} / {found['off_rate_baseline']:.0%})".replace("%", " %")
        shares = [f"{100 * found[name]:.1f} %" for name in ("A", "B", "C", "detects", "equivalent")]
        cells = [f"{found['raters_who']} {rates}", found["raters"], *shares, found["median_interval_points"]]
        assert row == f"| {' | '.join(map(str, cells))} |"
    assert f"{measured['studies']:,} times" in page


def test_the_layers_of_the_core_are_drawn_as_they_are() -> None:
    contract = (ROOT / ".importlinter").read_text("utf-8").partition("containers = limen.core")[2]
    layers = re.findall(r"^    (.+)$", re.split(r"exhaustive_ignores|\n\n", contract)[0], re.MULTILINE)
    assert "\n".join(layers) in _text("explanation/architecture.md")


def test_the_example_log_keeps_to_the_published_schema_but_for_its_bad_records() -> None:
    schema = json.loads(_text("reference/schemas/conversation.schema.json"))
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    for line in example_log().splitlines():
        try:
            bad += not validator.is_valid(json.loads(line))
        except json.JSONDecodeError:
            bad += 1
    assert bad == 3
