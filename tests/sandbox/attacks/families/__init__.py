"""The attacks on the sandbox. Each module contains one family in its list `ATTACKS`. New modules are found automatically."""
