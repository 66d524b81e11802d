"""A number that a room increments each time a process takes it over: a process with an earlier one may not write."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    # An older Stepgrad that still serves names its columns, and leaves this one as it is.
    op.add_column("rooms", sa.Column("fence", sa.Integer, nullable=False, server_default="0"))
