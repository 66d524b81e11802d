"""The HTTP edge, which every request passes: addresses, limits, headers, errors."""
