"""The tables. They change only by a migration; a test holds the migrations against this file.

Times are whole microseconds since 1970 in UTC: exact, sortable, the same in both databases. A session's token and
withdrawal code are kept as digests only; the completion code, which opens nothing, is kept as it is. Nothing here has a
column for an address or a browser.
"""

import sqlalchemy as sa

metadata = sa.MetaData()


def _belongs_to_session(*, primary: bool = True) -> sa.Column[int]:
    reference = sa.ForeignKey("sessions.id", ondelete="CASCADE")
    return sa.Column("session_id", sa.Integer, reference, primary_key=primary, nullable=False, autoincrement=False)


def _answers(name: str) -> sa.Table:
    """Both parts of a session have the same columns and stand apart."""
    return sa.Table(
        name,
        metadata,
        _belongs_to_session(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("stimulus_id", sa.Text, nullable=False),
        sa.Column("response", sa.Text, nullable=False),
        sa.Column("response_time_ms", sa.BigInteger, nullable=False),
        sa.Column("received_us", sa.BigInteger, nullable=False),
        sa.Column("client_time_us", sa.BigInteger, nullable=False),
        sa.Column("queued_offline", sa.Boolean, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("attempts", sa.Text, nullable=False),
        sa.Column("page_ms", sa.BigInteger, nullable=False),
        sa.Column("focus_losses", sa.Integer, nullable=False),
        sa.Column("focus_lost_ms", sa.BigInteger, nullable=False),
        sa.Column("copies", sa.Integer, nullable=False),
        sa.Column("b_seen", sa.Double, nullable=False),
        sa.Column("input", sa.Text, nullable=False),
        sa.Column("viewport_width", sa.Integer, nullable=False),
        sa.Column("viewport_height", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )


sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("token_digest", sa.Text, nullable=False, unique=True),
    sa.Column("withdrawal_digest", sa.Text, nullable=False, unique=True),
    sa.Column("request_digest", sa.Text, unique=True),
    sa.Column("mode", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("plan", sa.Text, nullable=False),
    sa.Column("plan_code", sa.Text),
    sa.Column("practice_count", sa.Integer, nullable=False),
    sa.Column("stimulus_digest", sa.Text, nullable=False),
    sa.Column("consent_version", sa.Text, nullable=False),
    sa.Column("tab", sa.Text, nullable=False),
    sa.Column("held", sa.Boolean, nullable=False),
    sa.Column("created_us", sa.BigInteger, nullable=False),
    sa.Column("painted_us", sa.BigInteger),
    sa.Column("painted_client_us", sa.BigInteger),
    sa.Column("finished_us", sa.BigInteger),
    sa.Column("stopped_us", sa.BigInteger),
    sa.Column("page_task_ms", sa.BigInteger),
    sa.Column("completion_code", sa.Text),
    sa.Column("sealed_token", sa.Text),
    sa.UniqueConstraint("mode", "number"),
    sqlite_autoincrement=True,
)

trials = _answers("trials")
practice = _answers("practice")

screens = sa.Table(
    "screens",
    metadata,
    _belongs_to_session(),
    sa.Column("screen", sa.Text, primary_key=True),
    sa.Column("visible_ms", sa.BigInteger, nullable=False),
    sa.Column("received_us", sa.BigInteger, nullable=False),
)

debriefs = sa.Table(
    "debriefs",
    metadata,
    _belongs_to_session(),
    sa.Column("question", sa.Text, primary_key=True),
    sa.Column("answer", sa.Text, nullable=False),
    sa.Column("received_us", sa.BigInteger, nullable=False),
)

comments = sa.Table(
    "comments",
    metadata,
    _belongs_to_session(),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("received_us", sa.BigInteger, nullable=False),
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    _belongs_to_session(primary=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("at_us", sa.BigInteger, nullable=False),
    sa.Index("events_of_session", "session_id"),
)

counts = sa.Table(
    "counts",
    metadata,
    sa.Column("mode", sa.Text, primary_key=True),
    sa.Column("day", sa.Text, primary_key=True),
    sa.Column("what", sa.Text, primary_key=True),
    sa.Column("n", sa.Integer, nullable=False),
)

numbers = sa.Table(
    "numbers",
    metadata,
    sa.Column("mode", sa.Text, primary_key=True),
    sa.Column("last", sa.Integer, nullable=False),
)

withdrawals = sa.Table(
    "withdrawals",
    metadata,
    sa.Column("token_digest", sa.Text, primary_key=True),
    sa.Column("withdrawal_digest", sa.Text, nullable=False, unique=True),
    sa.Column("mode", sa.Text, nullable=False),
    sa.Column("day", sa.Text, nullable=False),
)
