"""Tests of lectures, and of the lecture plans that Stepgrad includes."""
