"""What an embeddings endpoint answers, checked before it is believed."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import numpy as np

from limen.metrics.embedding import Vectors


class BadAnswerError(Exception):
    """An answer that cannot be used; another try may give a better one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The vectors in the order of the texts, and how many tokens the endpoint says it read."""

    vectors: Vectors
    tokens: int | None


def read_answer(body: bytes, count: int) -> Answered:
    """Read an answer to `count` texts, put in order by `index`. Raises BadAnswerError."""
    try:
        answer = json.loads(body)
    except ValueError as problem:
        raise BadAnswerError("the answer is no whole JSON") from problem
    entries = answer.get("data") if isinstance(answer, Mapping) else None
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise BadAnswerError('the answer has no list "data"')
    if len(entries) != count:
        raise BadAnswerError(f"{len(entries)} vectors for {count} texts")
    by_index = {entry.get("index"): entry.get("embedding") for entry in entries}
    if by_index.keys() != set(range(count)):
        raise BadAnswerError(f'the values of "index" are not 0 to {count - 1}')
    return Answered(vectors=_vectors([by_index[place] for place in range(count)]), tokens=_tokens(answer))


def pause_asked_for(header: str | None, now: datetime | None = None) -> float | None:
    """Read a Retry-After header, seconds or a date; None where there is none that can be read."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            until = parsedate_to_datetime(header)
        except ValueError:
            return None
        moment = until if until.tzinfo else until.replace(tzinfo=UTC)
        seconds = (moment - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _vectors(rows: list[Any]) -> Vectors:
    try:
        with np.errstate(over="ignore"):
            vectors = np.array(rows, np.float32)
    except (TypeError, ValueError, OverflowError) as problem:
        raise BadAnswerError("vectors that are not lists of numbers of one length") from problem
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise BadAnswerError("vectors that are not lists of numbers of one length")
    if not np.isfinite(vectors).all():
        raise BadAnswerError("a vector with something that is no number")
    return vectors


def _tokens(answer: Mapping[str, Any]) -> int | None:
    usage = answer.get("usage")
    tokens = usage.get("prompt_tokens") if isinstance(usage, Mapping) else None
    return tokens if isinstance(tokens, int) and tokens > 0 else None
