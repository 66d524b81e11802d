"""Tests of the plans that ship with Stepgrad, and of the rules for lectures."""
