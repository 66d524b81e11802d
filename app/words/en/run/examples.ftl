### The menu of examples and recent programs.

recent = Recent programs
recent-kept = Programs that you ran, or replaced by another. They are stored in this browser only.
recent-clear = Clear
