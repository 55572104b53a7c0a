"""Columns of text as columns of numbers, a chunk at a time; what cannot be read is marked, not guessed."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from limen.core.analysis.trials import NO_TIME, NOT_KNOWN

Whole = NDArray[np.int64]

UNREADABLE = -2
"""What stands for a text that is no number of the kind expected; `NOT_KNOWN` stands for an empty cell."""

TOO_LARGE = -3
"""What stands for a number beyond what can be."""

UNREADABLE_TIME = NO_TIME + 1

LARGEST_COUNT = 10**6
LONGEST_RESPONSE_MS = 10**9  # eleven days
LONGEST_TASK_MS = 10**12  # a session may be taken up again long after

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SHORTEST_STAMP = len("2025-12-28T14:32:15Z")


def whole_numbers(texts: Sequence[str]) -> Whole:
    """Read counts from 0 to a million.

    >>> whole_numbers(["7", "", "-5", "x", "1.5", "1000001"]).tolist()
    [7, -1, -2, -2, -2, -3]
    """
    return _numbers(texts, 1, LARGEST_COUNT, decimals=False)


def durations_ms(texts: Sequence[str], scale: int = 1, longest: int = LONGEST_RESPONSE_MS) -> Whole:
    """Read durations from 0 to `longest` ms, each `scale` ms, to the nearest millisecond.

    >>> durations_ms(["8432", "1.5", "-5", "1e30"], 1000).tolist()
    [8432000, 1500, -2, -3]
    """
    return _numbers(texts, scale, longest, decimals=True)


def timestamps_us(texts: Sequence[str], pattern: str = "") -> Whole:
    """Read times as µs since 1970, UTC. A time without a zone is taken as UTC.

    >>> timestamps_us(["1970-01-01T00:00:01Z", "1970-01-01T01:00:01+01:00", "soon"]).tolist()[:2]
    [1000000, 1000000]
    """
    if not pattern and texts and all(map(_is_plain, texts)):
        try:
            return np.array([text[:-1] for text in texts], dtype="datetime64[us]").astype(np.int64)
        except ValueError:
            pass
    return np.array([_stamp(text.strip(), pattern) for text in texts], dtype=np.int64)


def without_zone(texts: Sequence[str], pattern: str = "") -> int:
    """Count the times that do not say which zone they are in."""
    if pattern:
        return 0 if "%z" in pattern else sum(bool(text.strip()) for text in texts)
    return sum(_lacks_zone(text.strip()) for text in texts if text and text[-1] != "Z")


def coded(texts: Sequence[str], codes: Mapping[str, int], otherwise: int) -> Whole:
    """Replace each text by its code; blanks around it do not matter.

    >>> coded(["yes", " yes", "maybe"], {"yes": 1, "no": 0}, -2).tolist()
    [1, 1, -2]
    """
    try:
        return np.fromiter(map(codes.__getitem__, texts), dtype=np.int64, count=len(texts))
    except KeyError:
        return np.array([codes.get(text.strip(), otherwise) for text in texts], dtype=np.int64)


def _numbers(texts: Sequence[str], scale: int, largest: int, *, decimals: bool) -> Whole:
    try:
        found = np.fromiter(map(int, texts), dtype=np.int64, count=len(texts))
    except (ValueError, OverflowError):
        return np.array([_number(text, scale, largest, decimals) for text in texts], dtype=np.int64)
    too_large = found > largest // scale
    return np.where(found < 0, UNREADABLE, np.where(too_large, TOO_LARGE, np.where(too_large, 0, found) * scale))


def _number(text: str, scale: int, largest: int, decimals: bool) -> int:
    plain = text.strip()
    if not plain:
        return NOT_KNOWN
    try:
        value = float(plain) * scale
    except ValueError:
        return UNREADABLE
    if not value >= 0 or not (decimals or value.is_integer() or math.isinf(value)):
        return UNREADABLE
    return round(value) if value <= largest else TOO_LARGE


def _is_plain(text: str) -> bool:
    """Tell a time in UTC with a year of four digits; NumPy wraps the years that it has no room for."""
    return len(text) >= _SHORTEST_STAMP and text[-1] == "Z" and text[4] == "-"


def _stamp(text: str, pattern: str) -> int:
    if not text:
        return NO_TIME
    try:
        moment = datetime.strptime(text, pattern) if pattern else datetime.fromisoformat(text)  # noqa: DTZ007 - zoned below
    except ValueError:
        return UNREADABLE_TIME
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    elapsed = aware - _EPOCH
    return (elapsed.days * 86_400 + elapsed.seconds) * 1_000_000 + elapsed.microseconds


def _lacks_zone(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False
