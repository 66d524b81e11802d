"""A part for which a package is missing."""

import no_such_package  # type: ignore[import-not-found] # noqa: F401
