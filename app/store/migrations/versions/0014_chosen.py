"""Adds `snippets.chosen`: true if the sharer chose the recording of the link."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    # Existing links, and links from servers of an older version, have the default.
    op.add_column("snippets", sa.Column("chosen", sa.Boolean, nullable=False, server_default=sa.false()))
