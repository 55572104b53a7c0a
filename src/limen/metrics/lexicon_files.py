"""Lexicons from TOML files: those that come with Limen, and a study's own."""

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from limen.core.drift import Lexicon
from limen.errors import MetricError


def built_in_lexicons() -> tuple[str, ...]:
    """Give the names of the lexicons that come with Limen."""
    folder = resources.files("limen.metrics.lexicons")
    return tuple(sorted(file.name.removesuffix(".toml") for file in folder.iterdir() if file.name.endswith(".toml")))


def parse_lexicon(text: str, where: str) -> Lexicon:
    """Read a lexicon from TOML: name, version, and [groups] with a list of keywords each."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # a number of too many digits is no TOMLDecodeError
        raise MetricError(f"{where}: not TOML ({problem}); mend it or copy limen-1.toml anew") from problem
    match table:
        case {"name": str(name), "version": str(version), "groups": dict(groups)} if _word_lists(groups):
            return Lexicon(name=name, version=version, groups={g: tuple(ws) for g, ws in groups.items()})
    raise MetricError(f"{where}: a lexicon has name, version and [groups] with lists of words; copy limen-1.toml")


def find_lexicon(name: str, folder: Path | None) -> Lexicon:
    """Give the lexicon called `name`: the study's own before one that comes with Limen."""
    if not re.fullmatch(r"[\w.-]+", name):
        raise MetricError(f"lexicon {name!r}: a name has letters, digits, '-', '_' and '.'; rename it")
    own = folder / f"{name}.toml" if folder else None
    if own and own.is_file():
        lexicon = parse_lexicon(_text_of(own), str(own))
        if lexicon.name != name:
            raise MetricError(f"{own}: calls itself {lexicon.name!r}; a lexicon's file has its name: mend one")
        return lexicon
    if name in built_in_lexicons():
        file = resources.files("limen.metrics.lexicons") / f"{name}.toml"
        return parse_lexicon(file.read_text("utf-8"), file.name)
    where = f"{folder}/{name}.toml" if folder else "lexicons/ of the study"
    raise MetricError(f"lexicon {name!r} is not known; put it into {where} or use limen-1")


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as problem:
        why = problem.strerror if isinstance(problem, OSError) else problem
        raise MetricError(
            f"{path}: cannot be read ({why}); a lexicon is a text file in UTF-8: save it as one"
        ) from problem


def _word_lists(groups: Mapping[str, object]) -> bool:
    return all(isinstance(ws, list) and all(isinstance(w, str) for w in ws) for ws in groups.values())
