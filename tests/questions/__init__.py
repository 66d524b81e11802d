"""Tests of questions about a run, which students answer in polls or predict mode."""
