"""The keys that cookies and tokens are signed with, which were a file in the data directory of each web."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    # A server puts its file into it at the next start (`SigningKeys.begin`): a migration knows no data directory.
    op.create_table(
        "signing_keys",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("made", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_signing_keys"),
    )
