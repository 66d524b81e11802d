### What the pictures write in their boxes.

saved-stale-freed = was stale · freed
cells-wrong = ≠ { $count } of { $all }
graph-line-odd = returned { $value } · line { NUMBER($line, useGrouping: 0) }
graph-odd = returned { $value }
