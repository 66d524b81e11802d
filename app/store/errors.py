"""Errors of the store.

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
        """The database's message in one line. It may contain addresses and files, so it is for the operator only."""

    def for_operators(self) -> str:
        """The sentence with its reason."""
        return f"{str(self).removesuffix('.')}: {self.reason.removesuffix('.')}." if self.reason else str(self)


class NotText(StoreError):
    """A snippet holds what no database keeps as text."""


class StoreFull(StoreError):
    """The size limit, or the disk, has no space for this. Nothing was written, and nothing is lost."""


class QuotaSpent(StoreError):
    """One address, or one visitor, has reached today's limit of links or reports. Nothing was written.

    `whose` is "address" or "visitor", or "reports" of an address; `retry_after` is the number of seconds until the day ends.
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
    """A recording does not match its hash."""


class BackupRefused(StoreError):
    """A backup cannot be taken, or cannot take the place of the store. Nothing was replaced."""


class LinkGone(StoreError):
    """A link was deleted between one look at it and the next."""
