"""Public programs under the recorder: `make test-external`. README.md says how."""
