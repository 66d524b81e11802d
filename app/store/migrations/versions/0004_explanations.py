"""Adds `explanations`: the result of app/explain for a recording."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "explanations",
        sa.Column("recording", sa.String(64), nullable=False),
        sa.Column("explainer", sa.String(64), nullable=False),
        sa.Column("bytes", sa.Integer, nullable=False),
        sa.Column("explanation", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("recording", name="pk_explanations"),
        sa.ForeignKeyConstraint(["recording"], ["recordings.hash"], name="fk_explanations_recording", ondelete="CASCADE"),
    )
