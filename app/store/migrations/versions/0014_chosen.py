"""Adds `snippets.chosen`: true if the sharer chose the recording of the link."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    # Links of before, and of an older Stepgrad that still serves, have the default.
    op.add_column("snippets", sa.Column("chosen", sa.Boolean, nullable=False, server_default=sa.false()))
