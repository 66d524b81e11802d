"""The HTTP API and pages of lectures."""
