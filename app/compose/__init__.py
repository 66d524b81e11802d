"""Assembles the application from its settings."""
