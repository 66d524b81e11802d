### The menu of examples and recent programs.

recent = Recent programs
recent-kept = What ran here, and what another program replaced. Only this browser keeps it.
recent-clear = Clear
