"""The step that a link was made at: its picture for those who only look at the link shows it."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("snippets", sa.Column("shown", sa.String(40), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("snippets", "shown")
