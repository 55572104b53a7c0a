"""In which settings a study differs from the protocol that it started from."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

from limen.core.protocol import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting that differs from the built-in protocol; empty where one side does not have it."""

    key: str
    built_in: str
    here: str


def differing_settings(protocol: Protocol, built_in: Protocol) -> tuple[Setting, ...]:
    """Give every setting that differs, by its key in study.toml."""
    return tuple(_differences("", asdict(built_in), asdict(protocol)))


def _differences(key: str, built_in: object, here: object) -> Iterator[Setting]:
    if built_in == here:
        return
    mine, theirs = _parts(here), _parts(built_in)
    if mine is None or theirs is None:
        yield Setting(key=key, built_in=_text(built_in), here=_text(here))
        return
    for name in dict.fromkeys([*theirs, *mine]):
        place = f"{key}[{name}]" if name.isdigit() else f"{key}.{name}".lstrip(".")
        yield from _differences(place, theirs.get(name), mine.get(name))


def _parts(value: object) -> dict[str, object] | None:
    """Give what a value consists of, by key; a list of tables goes by their name, id or place."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple) and value and all(isinstance(part, Mapping) for part in value):
        return {
            str(part.get("name") or part.get("id") or part.get("rule") or place): part
            for place, part in enumerate(value)
        }
    return None


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ", ".join(_text(part) for part in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {_text(part)}" for name, part in value.items())
    return str(value)
