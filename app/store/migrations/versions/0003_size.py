"""Adds `size`: the sum of all `bytes`, as a running total."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table("size", sa.Column("bytes", sa.BigInteger, nullable=False))
    op.execute(
        "INSERT INTO size (bytes) SELECT (SELECT COALESCE(SUM(bytes), 0) FROM recordings)"
        " + (SELECT COALESCE(SUM(bytes), 0) FROM snippets)"
    )
    # The indexes were for the sum over all rows, which earlier releases computed at each share.
    op.drop_index("ix_recordings_bytes", "recordings")
    op.drop_index("ix_snippets_bytes", "snippets")
