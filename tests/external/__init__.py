"""Runs public programs with the recorder: `make test-external`. See README.md."""
