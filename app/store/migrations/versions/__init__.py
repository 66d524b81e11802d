"""One file per change of the tables, in the order of their numbers."""
