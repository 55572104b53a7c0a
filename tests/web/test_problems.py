"""What refusals say, and what the page makes of them."""

import re
from pathlib import Path

from limen.web.problems import refused
from limen.workflow.answering import Reason, Refusal

ROOT = Path(__file__).resolve().parents[2]
OF_ONE_REQUEST = {Reason.NO_SUCH_TRIAL}  # 404, but the session goes on


def test_the_page_ends_a_session_on_exactly_the_refusals_that_end_it() -> None:
    source = (ROOT / "page" / "src" / "transport.ts").read_text("utf-8")
    (named,) = re.findall(r"#\(([a-z|-]+)\)\$", source)
    gone = {reason for reason in Reason if refused(Refusal(reason=reason, detail="")).status_code in (404, 410)}
    assert set(named.split("|")) == {*gone, Reason.HELD_ELSEWHERE} - OF_ONE_REQUEST
