"""Composes the application from its settings."""
