"""HTML pages and static files."""
