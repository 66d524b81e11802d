"""Adds `reports`: visitors' reports about links."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "reports",
        sa.Column("snippet", sa.String(16), nullable=False),
        sa.Column("maker", sa.String(64), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("snippet", "maker", name="pk_reports"),
        sa.ForeignKeyConstraint(["snippet"], ["snippets.id"], name="fk_reports_snippet", ondelete="CASCADE"),
    )
