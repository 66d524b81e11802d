### Differences between two runs.

differs-title = What differs at this step
differs-none = No difference so far in memory or graph
differs-unknown = Comparing …
differs-count =
    { $count ->
        [one] 1 difference
       *[other] { $count } differences
    }
differs-first = First difference: step { NUMBER($step, useGrouping: 0) }
undo-fix = Undo the fix
keep-fix = Keep this fix
diff-of-fix = What the fix changes
diff-copy = Copy diff
diff-copied = Diff copied
differs-spoken = { $name }: A { $left }, B { $right }.
differs-version = version
differs-counter = version counter
differs-memory = memory
differs-shape = shape
differs-grad_fn = grad_fn
differs-grad = requires grad
differs-node = in the graph
differs-saved = saved
differs-plain = { $text }
differs-large = { $shape }, mean { $value }
differs-other = different values
differs-absent = not there
differs-own = its own
differs-shared = shared with { $names }
differs-look-leaf = yes, a leaf
differs-look-result = yes
differs-look-plain = no
differs-recorded = recorded
differs-unrecorded = not recorded
differs-saved-current = current
differs-saved-silent = stale, and torch will not detect it
differs-saved-refused = stale, torch raises an error
differs-saved-freed = freed
differs-saved-stale-freed = stale when its Node ran, then freed
differs-saved-hidden = not shown by torch
