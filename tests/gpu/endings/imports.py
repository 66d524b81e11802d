"""A test module that imports a package that does not exist."""

import no_such_package  # type: ignore[import-not-found] # noqa: F401
