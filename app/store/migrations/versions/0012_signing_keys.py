"""Adds `signing_keys`, the keys of cookies and tokens.

In earlier releases the keys were in a file in each web's data directory.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    # A server imports the file of its keys at the next start (`SigningKeys.begin`), because a migration does not know the data
    # directory.
    op.create_table(
        "signing_keys",
        sa.Column("number", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("made", sa.DateTime, nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_signing_keys"),
    )
