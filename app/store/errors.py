"""What can go wrong in the store.

StoreError
├── NotText
├── StoreFull
├── QuotaSpent
├── StoreUnavailable
│   └── StoreInUse
├── StoreDamaged
├── BackupRefused
└── LinkGone
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


class QuotaSpent(StoreError):
    """One address, or one visitor, has made as many links or reports today as it may. Nothing was written.

    `whose` is "address" or "visitor", or "reports" of an address; `retry_after` the number of seconds until the day is over.
    """

    def __init__(self, whose: str, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.whose = whose
        self.retry_after = retry_after


class StoreUnavailable(StoreError):
    """The database cannot be reached, is busy for too long, or was made by a newer Stepgrad."""


class StoreInUse(StoreUnavailable):
    """A server has the store that was to be replaced."""


class StoreDamaged(StoreError):
    """A recording is not what its hash says."""


class BackupRefused(StoreError):
    """A backup cannot be taken, or cannot take the place of the store. Nothing was replaced."""


class LinkGone(StoreError):
    """A link was deleted between one look at it and the next."""
