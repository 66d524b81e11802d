"""Run the tests of rooms with SQLite and with PostgreSQL."""

from tests.store.conftest import folder, postgresql, sqlite, store, url

__all__ = ["folder", "postgresql", "sqlite", "store", "url"]
