"""Snippets, share links and the recordings they show."""

from app.store.errors import LinkGone, NotText, QuotaSpent, StoreDamaged, StoreError, StoreFull, StoreUnavailable
from app.store.links import ListedLink
from app.store.quotas import Maker, Quota, Quotas
from app.store.recording import Heading, Recording, Snippet, request_key
from app.store.reports import Report, Reporter
from app.store.rooms import KeptPress, KeptRoom, KeptVote
from app.store.store import Store

__all__ = [
    "Heading",
    "KeptPress",
    "KeptRoom",
    "KeptVote",
    "LinkGone",
    "ListedLink",
    "Maker",
    "NotText",
    "Quota",
    "QuotaSpent",
    "Quotas",
    "Recording",
    "Report",
    "Reporter",
    "Snippet",
    "Store",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreUnavailable",
    "request_key",
]
