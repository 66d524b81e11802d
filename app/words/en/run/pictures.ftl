### What the pictures write in their boxes.

saved-stale-freed = was stale · freed
cells-wrong = ≠ { $count } of { $all }
