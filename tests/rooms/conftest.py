"""Both databases, and rooms over them."""

from tests.store.conftest import folder, postgresql, sqlite, store, url

__all__ = ["folder", "postgresql", "sqlite", "store", "url"]
