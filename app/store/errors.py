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
    """The base class. The text is one sentence that visitors may see."""

    def __init__(self, text: str, reason: str = "") -> None:
        super().__init__(text)
        self.reason = reason
        """The first line of the database's message.

        The message may contain addresses and file names, so the reason is only for the operator.
        """

    def for_operators(self) -> str:
        """The sentence of the error and, for operators only, the database's message."""
        return f"{str(self).removesuffix('.')}: {self.reason.removesuffix('.')}." if self.reason else str(self)


class NotText(StoreError):
    """A text contains characters that not every database can store."""


class StoreFull(StoreError):
    """The store has reached its size limit, or the disk is full. Nothing was written."""


class QuotaSpent(StoreError):
    """One address, or one visitor, has reached today's limit of links or reports.

    Nothing was written. `whose` is "address", "visitor" or, for the reports of an address, "reports". `retry_after` is the
    number of seconds until the end of the day.
    """

    def __init__(self, whose: str, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.whose = whose
        self.retry_after = retry_after


class StoreUnavailable(StoreError):
    """The database cannot be reached, is busy for too long, or was made by a newer version of Stepgrad."""


class StoreInUse(StoreUnavailable):
    """The store cannot be replaced, because a server uses the store."""


class StoreDamaged(StoreError):
    """A recording does not match its hash."""


class BackupRefused(StoreError):
    """A backup cannot be made or restored. Nothing was replaced."""


class LinkGone(StoreError):
    """A link was deleted during the operation."""
