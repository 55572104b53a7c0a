"""The first tables: sessions, answers, debriefs, events, counts, withdrawals."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "sessions",
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
        sa.UniqueConstraint("mode", "number"),
        sqlite_autoincrement=True,
    )
    for name in ("trials", "practice"):
        op.create_table(
            name,
            _session_id(primary_key=True),
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
    op.create_table(
        "screens",
        _session_id(primary_key=True),
        sa.Column("screen", sa.Text, primary_key=True),
        sa.Column("visible_ms", sa.BigInteger, nullable=False),
        sa.Column("received_us", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "debriefs",
        _session_id(primary_key=True),
        sa.Column("question", sa.Text, primary_key=True),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("received_us", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "comments",
        _session_id(primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("received_us", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Integer, primary_key=True),
        _session_id(primary_key=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("at_us", sa.BigInteger, nullable=False),
    )
    op.create_index("events_of_session", "events", ["session_id"])
    _make_counts()


def _make_counts() -> None:
    op.create_table(
        "counts",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("what", sa.Text, primary_key=True),
        sa.Column("n", sa.Integer, nullable=False),
    )
    op.create_table(
        "numbers",
        sa.Column("mode", sa.Text, primary_key=True),
        sa.Column("last", sa.Integer, nullable=False),
    )
    op.create_table(
        "withdrawals",
        sa.Column("token_digest", sa.Text, primary_key=True),
        sa.Column("withdrawal_digest", sa.Text, nullable=False, unique=True),
        sa.Column("mode", sa.Text, nullable=False),
        sa.Column("day", sa.Text, nullable=False),
    )


def _session_id(*, primary_key: bool) -> sa.Column[int]:
    reference = sa.ForeignKey("sessions.id", ondelete="CASCADE")
    return sa.Column("session_id", sa.Integer, reference, primary_key=primary_key, nullable=False, autoincrement=False)
