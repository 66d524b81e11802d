"""Adds `snippets.notes`: the sharer's notes about steps."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("snippets", sa.Column("notes", sa.Text, nullable=False, server_default=""))
