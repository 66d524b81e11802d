"""Rewrites snippets: builds the sources of the fixes that findings offer."""
