"""Tests of the processes that explain recordings."""
