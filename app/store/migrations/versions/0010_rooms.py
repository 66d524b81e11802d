"""Adds open rooms, the votes of their polls, and the steps at which members are lost."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "rooms",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("code", sa.String(8), nullable=False),
        sa.Column("secrets", sa.Text, nullable=False),
        sa.Column("takeovers", sa.Integer, nullable=False),
        sa.Column("link", sa.String(16), nullable=True),
        sa.Column("opener", sa.String(64), nullable=False),
        sa.Column("opened", sa.DateTime, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_rooms"),
        sa.Index("ix_rooms_code", "code", unique=True),
    )
    op.create_table(
        "room_votes",
        sa.Column("room", sa.String(32), nullable=False),
        sa.Column("poll", sa.Integer, nullable=False),
        sa.Column("member", sa.String(32), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("room", "poll", "member", name="pk_room_votes"),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"], name="fk_room_votes_room", ondelete="CASCADE"),
    )
    op.create_table(
        "room_presses",
        sa.Column("room", sa.String(32), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("member", sa.String(32), nullable=False),
        sa.PrimaryKeyConstraint("room", "at", "member", name="pk_room_presses"),
        sa.ForeignKeyConstraint(["room"], ["rooms.id"], name="fk_room_presses_room", ondelete="CASCADE"),
    )
