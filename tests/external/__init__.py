"""Public programs under the recorder: `make test-external`. See README.md."""
