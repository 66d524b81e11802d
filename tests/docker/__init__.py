"""The image, in a real Docker daemon: `make docker-check`."""
