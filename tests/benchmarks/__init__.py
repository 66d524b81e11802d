"""Measure the performance of Stepgrad's parts, relative to a baseline on the same machine, and compare it with budgets."""
