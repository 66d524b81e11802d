"""Snippets, share links and the recordings they show."""

from app.store.errors import NotText, StoreDamaged, StoreError, StoreFull, StoreUnavailable
from app.store.recording import Recording, Snippet, request_key
from app.store.store import Store

__all__ = [
    "NotText",
    "Recording",
    "Snippet",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreUnavailable",
    "request_key",
]
