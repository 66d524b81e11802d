### The menu of examples and recent programs.

recent = Recent programs
recent-kept = Programs that you ran, or replaced with another one. Only this browser stores them.
recent-clear = Clear
