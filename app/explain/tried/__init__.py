"""Decides whether a fix works, by a run of it. Pure functions over two traces."""
