"""A participant takes the answers back: they are deleted, and a count remains."""

from datetime import datetime
from enum import StrEnum

from limen.core.tokens import withdrawal_digest
from limen.workflow.participate import delete_session
from limen.workflow.ports import Reading, Writing


class Withdrawal(StrEnum):
    """What a withdrawal code does, or did."""

    POSSIBLE = "possible"
    DONE = "done"
    DONE_BEFORE = "done_before"
    UNKNOWN = "unknown"


def look_up(reading: Reading, code: str) -> Withdrawal:
    """Say what a code would do, without doing it."""
    digest = withdrawal_digest(code)
    if reading.session_to_withdraw(digest) is not None:
        return Withdrawal.POSSIBLE
    return Withdrawal.DONE_BEFORE if reading.withdrawn_by(digest) else Withdrawal.UNKNOWN


def withdraw(desk: Writing, code: str, now: datetime) -> Withdrawal:
    """Delete everything that belongs to a code; doing it twice is doing it once."""
    session = desk.session_to_withdraw(withdrawal_digest(code))
    if session is None:
        return look_up(desk, code)
    delete_session(desk, session, now)
    return Withdrawal.DONE
