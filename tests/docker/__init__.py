"""Tests of the container image with a Docker daemon: `make docker-check`."""
