"""Known flaws in what the locks pin: by pip-audit and npm audit, or without a network against a folder of OSV files."""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

ROOT = Path(__file__).parents[1]
Pins = Mapping[tuple[str, str], str]
"""Which version of a package is pinned, by ecosystem and name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Flaw:
    """A pinned version that an advisory is about."""

    package: str
    version: str
    advisory: str
    summary: str


def pinned(root: Path = ROOT) -> Pins:
    """Give everything that the locks pin."""
    pins: dict[tuple[str, str], str] = {}
    for name, version in re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\]+)", (root / "requirements.lock").read_text(), re.M):
        pins["PyPI", canonicalize_name(name)] = version
    packages = json.loads((root / "page" / "package-lock.json").read_text())["packages"]
    for place, package in packages.items():
        if place:
            pins["npm", place.rpartition("node_modules/")[2]] = package["version"]
    return pins


def advisories(folder: Path) -> Iterator[Mapping[str, Any]]:
    """Give all advisories of a folder that were not withdrawn."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json":
            found = json.loads(path.read_bytes())
        elif path.suffix in (".yaml", ".yml") and not path.parts[-2].startswith("."):
            found = yaml.load(path.read_bytes(), Loader=loader)  # noqa: S506 - a safe one
        else:
            continue
        if isinstance(found, dict) and "affected" in found and not found.get("withdrawn"):
            yield found


def flaws(pins: Pins, known: Iterable[Mapping[str, Any]]) -> Iterator[Flaw]:
    """Give the pinned versions that any of the advisories is about."""
    for advisory in known:
        for affected in advisory["affected"]:
            package = affected.get("package", {})
            ecosystem, name = package.get("ecosystem", ""), package.get("name", "")
            name = canonicalize_name(name) if ecosystem == "PyPI" else name
            version = pins.get((ecosystem, name))
            if version is not None and _is_about(affected, version):
                summary = str(advisory.get("summary") or advisory.get("details") or "").strip().split("\n")[0]
                yield Flaw(package=name, version=version, advisory=str(advisory["id"]), summary=summary[:200])


def _is_about(affected: Mapping[str, Any], version: str) -> bool:
    if version in affected.get("versions", ()):
        return True
    ranges = (one for one in affected.get("ranges", ()) if one.get("type") in ("ECOSYSTEM", "SEMVER"))
    return any(_lies_in(one["events"], Version(version)) for one in ranges)


def _lies_in(events: Iterable[Mapping[str, str]], version: Version) -> bool:
    """Tell whether a version lies between an introduction and what ended it."""
    inside = False
    for event in events:
        ((kind, bound),) = event.items()
        try:
            at = Version(bound)
        except InvalidVersion:
            continue
        if kind == "introduced" and version >= at:
            inside = True
        elif (kind == "fixed" and version >= at) or (kind == "last_affected" and version > at):
            inside = False
    return inside


def _ask(name: str, command: list[str], folder: Path) -> int:
    """Run a tool that asks its own database."""
    done = subprocess.run(command, cwd=folder, check=False)  # noqa: S603 - commands of this file
    print(f"{name}: {'nothing known' if done.returncode == 0 else 'see above'}")  # noqa: T201 - what was asked for
    return done.returncode


def main() -> int:
    """Say what is known; exit code 1 when there is anything, or a database could not be asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--advisories", type=Path, metavar="DIR", help="a folder of OSV files, instead of the network")
    folder = parser.parse_args().advisories
    if folder is None:
        lock = ["-r", str(ROOT / "requirements.lock"), "--disable-pip", "--require-hashes"]
        codes = [_ask("pip-audit", [sys.executable, "-m", "pip_audit", *lock], ROOT)]
        codes.append(_ask("npm audit", ["npm", "audit"], ROOT / "page"))
        return int(any(codes))
    pins, known = pinned(), list(advisories(folder))
    if not known:
        raise SystemExit(f"{folder}: holds no advisories; give a checkout of an advisory database")
    found = list(flaws(pins, known))
    for flaw in found:
        print(f"{flaw.package} {flaw.version}: {flaw.advisory} {flaw.summary}")  # noqa: T201
    print(f"{len(pins)} pinned packages against {len(known)} advisories: {len(found)} known flaws")  # noqa: T201
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
