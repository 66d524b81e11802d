"""Adds deletion token, last visit and hold to `snippets`, and `quotas`: counters per day."""

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    # The last visits of older links are unknown, so these links count as visited today. The value is a default in the database,
    # so existing rows are not rewritten.
    today = sa.text(f"'{datetime.now(UTC).date().isoformat()}'")
    op.add_column("snippets", sa.Column("visited", sa.Date, nullable=False, server_default=today))
    op.add_column("snippets", sa.Column("deletion", sa.String(64), nullable=True))
    op.add_column("snippets", sa.Column("held", sa.DateTime, nullable=True))
    op.create_index("ix_snippets_visited", "snippets", ["visited"])
    op.create_table(
        "quotas",
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("maker", sa.String(64), nullable=False),
        sa.Column("links", sa.Integer, nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("day", "maker", name="pk_quotas"),
    )
