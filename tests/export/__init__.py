"""Tests of the pictures for papers."""
