"""Tests of `stepgrad.guard()`."""
