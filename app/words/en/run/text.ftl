### The text view of the page and of a transcript: the content of the pictures, as sentences.

text-storage = Storage `{ $storage }`: { $bytes }{ $device ->
        [cpu] .
       *[other] {" "}on { $device }.
    }
text-storage-freed = Storage `{ $storage }`, freed.
text-storages =
    { $count ->
        [one] 1 storage without a name, { $bytes }, kept alive only by the graph.
       *[other] { $count } storages without a name, { $bytes }, kept alive only by the graph.
    }
text-storages-saved = Saved by { $nodes }.
text-storages-freed =
    { $count ->
        [one] 1 storage, freed.
       *[other] { $count } storages, freed.
    }
text-all-freed =
    { $count ->
        [one] 1 freed storage, folded.
       *[other] { $count } freed storages, folded.
    }
text-all-freed-open =
    { $count ->
        [one] 1 freed storage, shown until another takes its row.
       *[other] { $count } freed storages, each shown until another takes its row.
    }
text-storages-stale =
    { $count ->
        [one] A write made 1 of these saved storages stale.
       *[other] A write made { $count } of these saved storages stale.
    }
text-storages-new = More storages were added in this step.
text-storages-open = Its storages that only the graph keeps alive are shown.
text-module = Folded: { $held }, { $bytes }.
text-module-open = Its parameters are shown below.
text-module-written = Written in this step: { $names }.
text-module-new = New in this step: { $names }.
text-module-read = Read by the Node that runs: { $names }.
text-row-taken =
    { $memory ->
        [new] New memory, in
       *[old] In
    } the row of `{ $other }`, { $other_is ->
        [kept] which only the graph keeps now.
       *[freed] which is freed.
    }
text-others =
    { $count ->
        [one] One more, unchanged in this step.
       *[other] { $count } more, unchanged in this step.
    }
text-more = and { $count } more.
text-tell-all = Show all
text-kept = No tensor uses it; `{ $node }` saved it as `{ $slot }` and keeps it alive.
text-numpy =
    { $count ->
        [one] The NumPy array { $names } shares this memory.
       *[other] The NumPy arrays { $names } share this memory.
    }
text-no-storage = torch does not report its storage.
text-values = { $dtype } values `{ $values }`.
text-values-none = It has no bytes.
text-values-unknown = Its values are not known.
text-values-hidden = Its values are not known: { $reason }
text-summary =
    { $count ->
        [one] 1 { $dtype } value
       *[other] { $count } { $dtype } values
    } from { $min } to { $max }, mean { $mean }.
text-summary-odd = Not finite: { $nan } nan, { $inf } inf.
text-written = Written in this step.
text-written-was = Written in this step; before: `{ $values }`.
text-new = New in this step.
text-now = In this step.
text-shared = { $count } tensors share it: { $names }.
text-over = It uses the same bytes as `{ $other }`.
text-tensor = { $names }, a { $type }:
text-tensor-unnamed = A { $type } without a name, formerly { $names }:
text-geometry =
    shape { $shape }, stride { $stride }, storage offset { NUMBER($offset, useGrouping: 0) }, { $dtype }{ $device ->
        [cpu] .
       *[other] {" "}on { $device }.
    }
text-strideless =
    shape { $shape }, { $layout }, { $dtype }{ $device ->
        [cpu] .
       *[other] {" "}on { $device }.
    }
text-shapeless =
    { $layout }, its shape is not recorded, { $dtype }{ $device ->
        [cpu] .
       *[other] {" "}on { $device }.
    }
text-reads = Its value is { $value }.
text-clash = Its dimension { NUMBER($dimension) } does not fit: { $actual } ≠ { $other }.
text-clash-dtype = Its dtype does not fit: { $actual } ≠ { $other }.
text-look-leaf = A leaf that requires grad.
text-look-result = It requires grad.
text-look-plain = It does not require grad.
text-result = Its grad_fn is `{ $node }`.
text-version = Version counter at `{ $version }`.
text-version-moved = Version counter went to `{ $version }` in this step.
text-version-none = No version counter.
text-version-shared = The counter is shared with { $names }.
text-view = A view of `{ $base }`.
text-view-unnamed = A view of a tensor without a name.
text-grad = Its grad is `{ $value }` in `{ $storage }`.
text-grad-none = Its grad is `None`.
text-node = { $node }, recorded on line { NUMBER($line, useGrouping: 0) }.
text-node-of = The grad_fn of { $names }.
text-node-active = It runs in this step.
text-node-ran = It has run in this backward.
text-node-new = Recorded in this step.
text-node-odd = The first Node that received finite gradients and returned `{ $value }`.
text-node-first-nan = Its operator returned the first `{ $value }` of this run.
text-node-freed = Freed.
text-unreached = No gradient reaches it.
text-unreached-leaf = No gradient reaches `{ $name }`, which has no Node.
text-unreached-others =
    { $count ->
        [one] No gradient reaches 1 other leaf.
       *[other] No gradient reaches { $count } other leaves.
    }
text-node-cut = Line { NUMBER($line, useGrouping: 0) } cuts the graph here.
text-next = Its `next_functions`: { $next }.
text-saved-whole = Saved `{ $slot }` in `{ $storage }` at version `{ $version }`:
text-saved-unversioned = Saved `{ $slot }` in `{ $storage }`, without a version:
text-saved-bare = Saved `{ $slot }`:
text-saved-is-current = current.
text-saved-is-stale = stale: written since it was saved.
text-saved-is-freed = freed.
text-saved-is-stale-freed = stale when its Node ran, then freed.
text-saved-is-hidden = not shown by torch.
text-root = Received the gradient `{ $value }`, where backward began.
text-sent = Sent the gradient `{ $value }` to { $to }.
text-sent-nowhere = Its gradient `{ $value }` goes to no Node.
text-wrong = It is silently wrong.
text-cells-wrong =
    Silently wrong: the correct { $count ->
        [one] value is `{ $values }`
       *[other] values are `{ $values }`
    }.
text-cells-wrong-many = { $count } of { $all } values are silently wrong.
text-group-call = Call of `{ $name }`.
text-group-module = Module `{ $name }`.
text-group-path = Held by `{ $name }`.
text-group-round = Round { NUMBER($round, useGrouping: 0) } of the loop on line { NUMBER($line, useGrouping: 0) }.
text-group-rounds = Rounds { NUMBER($first, useGrouping: 0) } to { NUMBER($last, useGrouping: 0) } of the loop on line { NUMBER($line, useGrouping: 0) }.
text-group-line = Nodes that line { NUMBER($line, useGrouping: 0) } recorded.
text-group-part = { $line ->
        [0] Nodes { NUMBER($first, useGrouping: 0) } to { NUMBER($last, useGrouping: 0) }.
       *[other] Nodes { NUMBER($first, useGrouping: 0) } to { NUMBER($last, useGrouping: 0) } of those that line { NUMBER($line, useGrouping: 0) } recorded.
    }
text-group = { $count ->
        [one] Folded: one Node.
       *[other] Folded: { $count } Nodes.
    }
text-group-active = One of them runs in this step.
text-group-ran = { $ran ->
        [one] One of them has run in this backward.
       *[other] { $ran } of them have run in this backward.
    }
text-group-new = Some were recorded in this step.
text-group-stale = A saved tensor in it became stale.
text-group-freed = Freed.
