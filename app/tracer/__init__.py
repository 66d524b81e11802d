"""Executes and observes a snippet, inside the jail or for `stepgrad.record()`."""
