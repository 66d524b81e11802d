"""Adds `recordings`, by content hash, and `snippets`, which refer to recordings."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "recordings",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("trace", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_recordings"),
    )
    op.create_index("ix_recordings_request", "recordings", ["request"])
    op.create_index("ix_recordings_bytes", "recordings", ["bytes"])
    op.create_table(
        "snippets",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("recording", sa.String(64), nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("recorded_again", sa.DateTime, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_snippets"),
        sa.ForeignKeyConstraint(["recording"], ["recordings.hash"], name="fk_snippets_recording"),
    )
    op.create_index("ix_snippets_recording", "snippets", ["recording"])
    op.create_index("ix_snippets_bytes", "snippets", ["bytes"])
