"""The fixtures of the store: tests run with both databases."""

from tests.store.conftest import folder, postgresql, sqlite, store, url

__all__ = ["folder", "postgresql", "sqlite", "store", "url"]
