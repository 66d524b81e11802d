"""Adds `lectures`, and visitors' reports about lectures."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "lectures",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("parts", sa.Text, nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("changed", sa.DateTime, nullable=True),
        sa.Column("visited", sa.Date, nullable=False),
        sa.Column("deletion", sa.String(64), nullable=False),
        sa.Column("held", sa.DateTime, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_lectures"),
    )
    op.create_index("ix_lectures_visited", "lectures", ["visited"])
    op.create_table(
        "lecture_reports",
        sa.Column("lecture", sa.String(16), nullable=False),
        sa.Column("maker", sa.String(64), nullable=False),
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("lecture", "maker", name="pk_lecture_reports"),
        sa.ForeignKeyConstraint(["lecture"], ["lectures.id"], name="fk_lecture_reports_lecture", ondelete="CASCADE"),
    )
