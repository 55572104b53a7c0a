"""The shape of the code: who may import whom, how long files are, what the repository may hold."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "limen"


def _lint(root: Path) -> subprocess.CompletedProcess[str]:
    lint = Path(sys.executable).with_name("lint-imports")
    environment = {"PYTHONPATH": str(root / "src"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [str(lint), "--no-cache"], cwd=root, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def _copy(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("core/excerpt.py", "import limen.study.folder", "cli → web"),
        ("logs/reading.py", "import limen.study.folder", "cli → web"),
        ("core/pairing.py", "import numpy", "NumPy and SciPy"),
        ("core/protocol.py", "import msgspec", "msgspec only"),
        ("workflow/prepare.py", "import typer", "Typer and rich"),
        ("workflow/analyze.py", "import matplotlib", "matplotlib only"),
        ("core/notation.py", "import jinja2", "Jinja2 only"),
        ("survey/wire.py", "import limen.core.stimuli", "the survey sees only"),
        ("workflow/participate.py", "import sqlalchemy", "SQLAlchemy and Alembic"),
        ("workflow/record.py", "import starlette", "Starlette and uvicorn"),
        ("survey/page.py", "import jinja2", "Jinja2 only"),
        ("web/app.py", "import limen.storage.store", "the web is handed its store"),
        ("survey/padding.py", "import limen.core.sessions", "the survey sees only"),
        ("brand_new.py", "", "cli → web"),
    ],
)
def test_a_wrong_import_breaks_a_contract(tmp_path: Path, module: str, line: str, contract: str) -> None:
    root = _copy(tmp_path)
    path = root / "src" / "limen" / module
    path.write_text((path.read_text() if path.exists() else '"""New."""\n') + f"\n{line}\n")
    result = _lint(root)
    assert result.returncode != 0, result.stdout
    assert re.search(rf"{re.escape(contract)}.*(BROKEN|not listed|exhaustive)|{re.escape(contract)}", result.stdout)


def test_every_third_party_package_has_its_place() -> None:
    placed = set(
        re.findall(r"^(?:protected_modules =\s*|    )(\w+)$", (ROOT / ".importlinter").read_text(), re.MULTILINE)
    )
    imported = set()
    for path in SOURCE.rglob("*.py"):
        imported |= set(re.findall(r"^\s*(?:from|import) (\w+)", path.read_text(), re.MULTILINE))
    outside = imported - set(sys.stdlib_module_names) - {"limen"}
    assert outside <= placed, f"not placed in .importlinter: {sorted(outside - placed)}"


def test_no_source_file_is_longer_than_400_lines() -> None:
    too_long = [path.name for path in SOURCE.rglob("*.py") if len(path.read_text().splitlines()) > 400]
    assert too_long == []


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout, so what is tracked is not known")
    return [ROOT / name for name in listed.stdout.split("\0") if name]


def test_nothing_tracked_names_a_registry_or_a_place_on_a_machine() -> None:
    forbidden = re.compile(
        r'"resolved":|--(?:extra-)?index-url\s|https?://[^\s"]*/simple\b|(?:^|[\s"\'=(])/(?:work|root|home)/\w',
        re.MULTILINE,
    )
    guilty = []
    for path in _tracked():
        if path.suffix in (".png", ".gz") or path == Path(__file__) or not path.is_file():
            continue
        found = forbidden.search(path.read_text("utf-8", errors="replace"))
        if found:
            guilty.append(f"{path.relative_to(ROOT)}: {found.group().strip()}")
    assert guilty == []


def test_the_lock_has_hashes_for_every_pin() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    pins = re.findall(r"^[\w.\[\]-]+==", lock, re.MULTILINE)
    blocks = re.split(r"^(?=[\w.\[\]-]+==)", lock, flags=re.MULTILINE)[1:]
    assert len(pins) == len(blocks) > 20
    assert all("--hash=sha256:" in block for block in blocks)


def test_ci_runs_what_the_readme_says() -> None:
    commands = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line and not line.startswith("#")]
    assert len(commands) == 1
    assert "scripts/test" in commands[0]
