### Findings of `stepgrad.guard()`.

guard-overwritten =
    `{ $node }` saved a tensor { $slot ->
        [empty] {""}
       *[other] as `{ $slot }`{" "}
    }({ $tensor }){ $saved_line ->
        [empty] {""}
       *[other] {" "}at { $saved_line }
    }. Its bytes changed before backward used it, but its version counter did not, so torch raises no error and computes a wrong gradient. Look for a write through `.data`, NumPy, DLPack, a storage or compiled code.
guard-outdated =
    { $node ->
        [empty] It was saved
       *[other] `{ $node }` saved it
    }{ $slot ->
        [empty] {""}
       *[other] {" "}as `{ $slot }`
    }{ $saved_line ->
        [empty] {""}
       *[other] {" "}at { $saved_line }
    }. Its version counter, which its views and its base share, moved from { NUMBER($before, useGrouping: 0) } to { NUMBER($after, useGrouping: 0) }.{ $optimizer ->
        [empty] {""}
       *[other] {" "}`{ $optimizer }.step()` at { $line } wrote it.
    }
guard-recomputed =
    A checkpoint recomputed a tensor ({ $tensor }){ $saved_line ->
        [empty] {""}
       *[other] {" "}that { $saved_line } saves
    }{ $node ->
        [empty] {""}
       *[other] {" "}for `{ $node }`
    }, with other bytes than in its first run, so the gradient is wrong. A tensor that the checkpoint reads changed before backward, or the checkpoint uses random numbers whose state it does not save.
guard-non_finite =
    After the backward{ $line ->
        [empty] {""}
       *[other] {" "}at { $line }
    }, the gradient of { $name ->
        [empty] a leaf
       *[other] `{ $name }`
    } ({ $tensor }) has { $what ->
        [nan] NaN
       *[inf] infinity
    }{ $others ->
        [0] {""}
        [one] {" "}and so has 1 other gradient
       *[other] {" "}and so have { NUMBER($others, useGrouping: 0) } other gradients
    }.{ $loss ->
        [yes] {" "}The value that backward started from is not finite either.
       *[no] {""}
    }
guard-born =
    `{ $operator }`{ $node ->
        [empty] {""}
       *[other] {" "}in `{ $node }`
    }{ $line ->
        [empty] {""}
       *[other] {" "}of { $line }
    } returned the first { $what ->
        [nan] NaN
       *[inf] infinity
    }.
guard-lesson = Lesson: { $address }
