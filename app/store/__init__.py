"""The store: snippets, share links, the recordings of links, and lectures."""

from app.store.errors import LinkGone, NotText, QuotaSpent, StoreDamaged, StoreError, StoreFull, StoreUnavailable
from app.store.lecture_rows import KeptLecture, ListedLecture, Written
from app.store.links import ListedLink
from app.store.quotas import Maker, Quota, Quotas
from app.store.reports import Report, Reporter
from app.store.room_rows import KeptPress, KeptRoom, KeptVote
from app.store.store import Store
from app.store.stored_recording import Heading, Recording, Snippet, request_key

__all__ = [
    "Heading",
    "KeptLecture",
    "KeptPress",
    "KeptRoom",
    "KeptVote",
    "LinkGone",
    "ListedLecture",
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
    "Written",
    "request_key",
]
