"""Finders about missing resources: hardware, files, packages, a network."""
