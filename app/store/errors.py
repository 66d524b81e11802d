"""What can go wrong in the store.

StoreError
├── StoreFull
├── StoreUnavailable
└── StoreDamaged
"""


class StoreError(Exception):
    """Base. The text is one sentence."""


class StoreFull(StoreError):
    """The size cap, or the disk, has no room for this. Nothing was written, nothing that was there is lost."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, is busy for too long, or was made by a newer Stepgrad."""


class StoreDamaged(StoreError):
    """A recording is not what its hash says."""
