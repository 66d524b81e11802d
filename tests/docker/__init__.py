"""Tests of the image in a real Docker daemon: `make docker-check`."""
