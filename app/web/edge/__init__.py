"""What every request passes: addresses, limits, headers, errors."""
