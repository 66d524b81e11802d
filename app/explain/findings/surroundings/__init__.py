"""Finders about what a snippet needs but does not have: hardware, files, packages, a network."""
