"""Snippets rewritten: the sources of the fixes that findings offer."""
