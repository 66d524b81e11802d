"""Runs inside the jail: executes the snippet and observes it through torch's own instruments."""
