"""Adds `snippets.shown`: the step at which the link was created, for its preview picture."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("snippets", sa.Column("shown", sa.String(40), nullable=False, server_default=""))
