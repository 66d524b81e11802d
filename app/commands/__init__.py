"""The command line of `stepgrad`."""
