"""Puts the parts together as the settings say."""
