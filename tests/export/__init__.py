"""Tests of pictures for papers."""
