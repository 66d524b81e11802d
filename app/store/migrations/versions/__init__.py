"""One migration per file, applied in the order of their numbers."""
