"""Adds title, author and parent (the link from which a snippet was edited) to `snippets`."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("snippets", sa.Column("title", sa.Text, nullable=False, server_default=""))
    op.add_column("snippets", sa.Column("author", sa.Text, nullable=False, server_default=""))
    op.add_column("snippets", sa.Column("parent", sa.String(16), nullable=True))
