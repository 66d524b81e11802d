"""Adds `room_variants`: the variants that a class has sent, for the next web that takes over the room."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.create_table(
        "room_variants",
        sa.Column("room", sa.String(32), nullable=False),
        sa.Column("packed", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("room", name="pk_room_variants"),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"], name="fk_room_variants_room", ondelete="CASCADE"),
    )
