### The pictures of a run

## Text in the boxes

saved-stale-freed = was stale · freed
summary-image = The first image, at most 32 × 32 of its pixels. Black is the minimum of the storage, white the maximum, red NaN or infinity.
cells-wrong = ≠ { $count } of { $all }
graph-line-odd = returned { $value } · line { NUMBER($line, useGrouping: 0) }
graph-odd = returned { $value }
graph-unreached = no gradient
graph-cut = cut: line { NUMBER($line, useGrouping: 0) }

## Owners of storages without names

keeper-view = It is the base of `{ $name }`, which keeps it alive.
keeper-view-short =
    base of
    { $name }
keeper-saved = `{ $node }` saved it as `{ $slot }` and keeps it alive.
keeper-saved-short =
    saved by
    { $node }
keeper-grad = It is the `grad` of a tensor without a name.
keeper-grad-short = a grad
keeper-leaf = Its `AccumulateGrad` in the graph keeps it alive.
keeper-leaf-short = a leaf
keeper-unknown = no name
numpy = NumPy
numpy-means = Shares memory with NumPy: { $names }
kept-by = kept alive only by

## Names of an optimizer's state, in two lines

tag-state =
    { $state } of
    { $name }
