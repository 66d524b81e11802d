"""The HTTP edge: routes, pages, errors as sentences."""
