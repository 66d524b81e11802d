"""Adds `snippets.stand_in`: true if the snippet was recorded on the CPU in place of a GPU."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("snippets", sa.Column("stand_in", sa.Boolean, nullable=False, server_default=sa.false()))
