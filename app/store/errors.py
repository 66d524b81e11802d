"""What can go wrong in the store.

StoreError
├── NotText
├── StoreFull
├── StoreUnavailable
└── StoreDamaged
"""


class StoreError(Exception):
    """Base. The text is one sentence that anybody may read."""

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        """What the database said, in one line. It may name addresses and files: for whoever runs the server alone."""

    def for_operators(self) -> str:
        """The sentence with its reason."""
        return f"{str(self).removesuffix('.')}: {self.reason.removesuffix('.')}." if self.reason else str(self)


class NotText(StoreError):
    """A snippet holds what no database keeps as text."""


class StoreFull(StoreError):
    """The size cap, or the disk, has no room for this. Nothing was written, nothing that was there is lost."""


class StoreUnavailable(StoreError):
    """The database cannot be reached, is busy for too long, or was made by a newer Stepgrad."""


class StoreDamaged(StoreError):
    """A recording is not what its hash says."""
