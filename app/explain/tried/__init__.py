"""Decides whether a fix works, from the traces of its run and of the snippet's run. Pure functions."""
