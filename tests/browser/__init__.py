"""Tests of the page in a real browser, against a real server and the real sandbox."""
