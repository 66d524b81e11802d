"""Snippets, share links and the recordings they show."""
