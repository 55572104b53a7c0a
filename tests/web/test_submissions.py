"""Files that a participant sent back and that hold no answers."""

import pytest

from limen.errors import DataError
from limen.web.submissions import decode_submission


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("{", "is no JSON, or was cut off"),
        ("\udcff", "is no JSON, or was cut off"),
        ("[" * 100_000, "is no JSON, or was cut off"),
        ("[1]", "is JSON, but holds no answers"),
        ('{"schema": ["limen.key/1"]}', "is JSON, but holds no answers"),
        ('{"schema": "limen.key/1", "pages": []}', "is key.json, which stays with you, and holds no answers"),
    ],
)
def test_a_file_that_holds_no_answers_is_told_in_words(content: str, said: str) -> None:
    with pytest.raises(DataError) as refused:
        decode_submission(content.encode("utf-8", "surrogateescape"))
    assert str(refused.value) == (
        f"{said}; expected responses_….json, unchanged as the page saved it; ask the participant for that file"
    )
