"""Tests of the questions about a run, and of their answers."""
