"""The attacks, in one file per family with a list `ATTACKS`. New files are found automatically."""
