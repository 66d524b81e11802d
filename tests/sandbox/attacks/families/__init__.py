"""The attacks, one file per family, each a list `ATTACKS`; a new file is found by itself."""
