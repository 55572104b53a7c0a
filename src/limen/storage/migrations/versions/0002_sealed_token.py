"""A session keeps its token sealed by the request that began it: a request that comes twice gets one token."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; sessions begun before have none, and need none once they go on."""
    op.add_column("sessions", sa.Column("sealed_token", sa.Text))
