"""Snippets, share links and the recordings they show."""

from app.store.errors import StoreDamaged, StoreError, StoreFull, StoreUnavailable
from app.store.recording import Recording, Snippet, request_key
from app.store.store import Store

__all__ = [
    "Recording",
    "Snippet",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreUnavailable",
    "request_key",
]
