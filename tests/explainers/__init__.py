"""Tests of the processes that work on recordings after a run."""
