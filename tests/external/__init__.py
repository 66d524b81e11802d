"""Run public programs with and without the recorder: `make test-external`. See README.md."""
