import asyncio

import httpx
import pytest

from builders import s3
from limen.core.review import Review
from limen.web.review import create_review_app
from limen.workflow.review import ReviewDesk, ReviewedStudy
from studies import SteppedClock, a_stimulus_set


class Shelf:
    """A shelf that nothing may be written to."""

    def read(self) -> ReviewedStudy:
        return ReviewedStudy(protocol=s3(), stimuli=a_stimulus_set(), review=Review(), candidates=())

    def write_review(self, review: Review) -> None:
        raise AssertionError(review)

    def write_pairs(self, study: ReviewedStudy) -> None:
        raise AssertionError(study)


@pytest.mark.parametrize("body", [b"action=context&context=\xff\xfe", b"action=context&context=%ff", b"\xff"])
def test_a_form_that_is_no_text_is_refused_and_nothing_is_stored(body: bytes) -> None:
    desk = ReviewDesk(shelf=Shelf(), clock=SteppedClock(), answered=lambda: False)
    app = create_review_app(desk, secret="s", host="here")

    async def post() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client:
            headers = {"content-type": "application/x-www-form-urlencoded", "origin": "http://here"}
            return await client.post("/s/pairs/CAT_01", content=body, headers=headers)

    answer = asyncio.run(post())
    assert answer.status_code == 422
    assert "UTF-8" in answer.text
