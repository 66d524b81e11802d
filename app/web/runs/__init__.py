"""A run from its snippet to its document, and the recordings that answer requests."""
