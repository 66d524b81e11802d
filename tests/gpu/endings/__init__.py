"""Parts that fail in different ways, to test the report."""
