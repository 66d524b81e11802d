"""Modules that fail in different ways, to test the report of the GPU tests."""
