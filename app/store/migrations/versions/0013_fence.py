"""Adds `rooms.fence`, which each takeover increments. A process with an earlier number may not write."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    # The statements of an older version name their columns, so an older server does not change this column.
    op.add_column("rooms", sa.Column("fence", sa.Integer, nullable=False, server_default="0"))
