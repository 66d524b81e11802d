"""The program as it runs: its files, statements, calls, output and end."""
