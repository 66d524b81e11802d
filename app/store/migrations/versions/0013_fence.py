"""Adds `rooms.fence`, which each takeover increments. A process with an earlier number may not write."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    # A server of an older version names its columns when it writes, so it does not change this one.
    op.add_column("rooms", sa.Column("fence", sa.Integer, nullable=False, server_default="0"))
