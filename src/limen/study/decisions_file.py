"""stimuli/review.json: every decision about the pairs, in the order in which it was made."""

import msgspec

from limen.core.review import Decision, Review
from limen.errors import DataError

REVIEW_SCHEMA = "limen.review/1"


class DecisionsFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """review.json."""

    schema: str
    decisions: tuple[Decision, ...]


def encode_review(review: Review) -> bytes:
    """Give review.json, readable by a person."""
    file = DecisionsFile(schema=REVIEW_SCHEMA, decisions=review.decisions)
    return msgspec.json.format(msgspec.json.encode(file), indent=2) + b"\n"


def decode_review(data: bytes, where: str) -> Review:
    """Read review.json back."""
    try:
        found = msgspec.json.decode(data, type=DecisionsFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise DataError(f"{where}: {problem}; put a copy of it back, or delete it and review anew") from problem
    if found.schema != REVIEW_SCHEMA:
        raise DataError(f"{where}: schema {found.schema!r}; expected {REVIEW_SCHEMA}")
    return Review(decisions=found.decisions)
