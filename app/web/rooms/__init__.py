"""The HTTP API of rooms."""
