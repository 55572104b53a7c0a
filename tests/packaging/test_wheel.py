"""Who installs the wheel has everything: the page, the example, and a demonstration that runs without Node.

The clean environment is a new venv that holds the wheel, and nothing else but links to the very packages that the wheel
declares, and those that they need in turn. So nothing is fetched, and a dependency that is not declared is missing.
"""

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from limen import __version__

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("dist")
    subprocess.run([ROOT / "scripts" / "build", to], check=True, capture_output=True, timeout=120)
    (found,) = to.glob("*.whl")
    assert [file.name for file in to.glob("*.tar.gz")] == [f"limen-{__version__}.tar.gz"]
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give a clean environment with the wheel and what it declares."""
    place = tmp_path_factory.mktemp("clean") / "env"
    venv.create(place, with_pip=False, symlinks=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check", "--quiet"]
    subprocess.run(
        [*pip, "install", "--no-index", "--no-deps", str(wheel)], check=True, capture_output=True, timeout=120
    )
    (site,) = (place / "lib").glob("python*/site-packages")
    (declared,) = site.glob("limen-*.dist-info")
    for needed in _needed(PathDistribution(declared)).values():
        _link(needed, site)
    return place


def _needed(root: Distribution) -> dict[str, Distribution]:
    """Give the distributions that one declares, and theirs, without extras that nobody asks for."""
    found: dict[str, Distribution] = {}
    waiting: list[tuple[Distribution, str]] = [(root, "")]
    while waiting:
        needing, extra = waiting.pop()
        for text in needing.requires or ():
            requirement = Requirement(text)
            if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
                continue
            name = re.sub(r"[-_.]+", "-", requirement.name).lower()
            if name not in found:
                found[name] = distribution(name)
                waiting += [(found[name], wanted) for wanted in ("", *requirement.extras)]
    return found


def _link(needed: Distribution, site: Path) -> None:
    here = Path(sysconfig.get_path("purelib"))
    for top in {file.parts[0] for file in needed.files or () if file.parts[0] not in ("..", "__pycache__")}:
        if not (site / top).exists():
            (site / top).symlink_to(here / top)


def _run(place: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LIMEN", "VIRTUAL_ENV"))
    }
    return subprocess.run(
        command,
        cwd=folder,
        env={**environment, "PATH": str(place / "bin"), "NO_COLOR": "1", "MPLCONFIGDIR": str(place / "matplotlib")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_wheel_holds_the_page_and_the_example_and_nothing_of_the_tests(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"limen/survey/built/page.html", "limen/demo/example.jsonl", "limen/py.typed"} <= set(names)
    assert all(name.startswith(("limen/", f"limen-{__version__}.dist-info/")) for name in names)
    page = zipfile.ZipFile(wheel).read("limen/survey/built/page.html")
    assert page == (ROOT / "src" / "limen" / "survey" / "built" / "page.html").read_bytes()


def test_the_demonstration_runs_in_a_clean_environment_without_node(installed: Path, tmp_path: Path) -> None:
    limen = str(installed / "bin" / "limen")
    origin = _run(installed, tmp_path, str(installed / "bin" / "python"), "-c", "import limen; print(limen.__file__)")
    assert Path(origin.stdout.strip()).is_relative_to(installed), origin
    assert _run(installed, tmp_path, limen, "--version").stdout == f"limen {__version__}\n"
    done = _run(installed, tmp_path, limen, "demo", "--no-serve")
    assert done.returncode == 0, done.stderr
    assert done.stderr.replace("Matplotlib is building the font cache; this may take a moment.\n", "") == ""
    assert done.stdout.splitlines()[0].startswith("Simulated data")
    assert re.search(r"^Outcome [ABC]", done.stdout, re.MULTILINE)
    results = tmp_path / "out" / "demo" / "results"
    for name in ("raw_responses.csv", "summary_stats.csv", "analysis_report.md", "report.html", "analysis.json"):
        assert (results / name).stat().st_size > 0
    assert [entry.name for entry in tmp_path.iterdir()] == ["out"]


def test_extras_that_are_not_installed_are_named(installed: Path, tmp_path: Path) -> None:
    limen = str(installed / "bin" / "limen")
    for command in (("init", "s", "--example"), ("pairs", "s/logs", "--study", "s")):
        assert _run(installed, tmp_path, limen, *command).returncode == 0
    browser = _run(installed, tmp_path, limen, "simulate", "s", "--raters", "1", "--browser")
    assert (browser.returncode, browser.stderr.count("\n")) == (3, 1)
    assert "limen[browser]" in browser.stderr
    postgres = _run(installed, tmp_path, limen, "status", "s", "--database", "postgresql://localhost/none")
    assert (postgres.returncode, postgres.stderr.count("\n")) == (2, 1)
    assert "limen[postgres]" in postgres.stderr
