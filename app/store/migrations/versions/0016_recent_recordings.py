"""Adds `recent_recordings`: the recordings of the last half hour, for all webs on one PostgreSQL."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_table(
        "recent_recordings",
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("made", sa.DateTime, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("trace", sa.LargeBinary, nullable=True),
        sa.Column("is_forgotten", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("hash", name="pk_recent_recordings"),
        prefixes=["UNLOGGED"] if op.get_bind().dialect.name == "postgresql" else [],
    )
    op.create_index("ix_recent_recordings_made", "recent_recordings", ["made"])
