from datetime import UTC, datetime

import pytest

from limen.core.review import Action, Decision, Review
from limen.errors import DataError
from limen.study.decisions_file import decode_review, encode_review

REVIEW = Review(
    decisions=(
        Decision(
            at=datetime(2026, 1, 5, 9, 30, tzinfo=UTC),
            action=Action.REPLACE,
            pair_id="CAT_03",
            conversation_id="run:1",
            shown="0" * 64,
            reason="“odd” encoding",
            replaced_by="run:2",
        ),
    )
)


def test_decisions_read_back_as_they_were_written() -> None:
    assert decode_review(encode_review(REVIEW), "review.json") == REVIEW
    assert decode_review(encode_review(Review()), "review.json") == Review()


@pytest.mark.parametrize(
    "data", [b"{", b"[]", b'{"schema": "other/1", "decisions": []}', b'{"schema": "limen.review/1", "decisions": [1]}']
)
def test_a_damaged_file_is_named(data: bytes) -> None:
    with pytest.raises(DataError, match=r"review\.json"):
        decode_review(data, "stimuli/review.json")
