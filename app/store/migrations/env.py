"""Alembic's environment: migrations run on the store's connection, in the store's transaction."""

from alembic import context

from app.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite supports few ALTER statements. In batch mode Alembic copies the table.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
