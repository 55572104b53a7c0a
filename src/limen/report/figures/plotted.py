"""A figure as a value: what is plotted, how to read it, and what it shows in words."""

import hashlib
import json
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any

from limen.report.figures.canvas import Sketch


@dataclass(frozen=True, slots=True, kw_only=True)
class Plotted:
    """A figure with its data. `alternative` says in words, with the numbers, what the eye would see."""

    title: str
    caption: str
    alternative: str
    data: object
    sketch: Sketch

    @property
    def key(self) -> str:
        """The figure's name: its address in the page and its file."""
        return self.sketch.key

    def digest(self) -> str:
        """Give a hash of what is plotted, numbers to eight significant digits: more would differ between processors."""
        plain = _plain(asdict(self.data) if is_dataclass(self.data) and not isinstance(self.data, type) else self.data)
        return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A figure that the data at hand do not allow."""

    key: str
    title: str
    reason: str


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return f"{value:.8g}"
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple) else value
