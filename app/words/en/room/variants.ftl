# Variants: everybody in a class changes a line, and runs with the same outcome are counted together.

variants-title = Variants
variants-button = Variants
variants-asked = Change a line and run it for the class.
variants-over = No more runs are collected.
variants-run-counts = Run now counts for the class. Your last run counts.
variants-counted = Your run counts for the class. Run again to replace it: your last run counts.
variants-counted-over = Your last run counts for the class. No more runs are collected.
variants-write = Change a line
variants-write-again = Change it again
variants-outcomes = Outcomes
variants-count = { $count ->
    [one] { $count } variant ran
   *[other] { $count } variants ran
}
variants-hidden = The outcomes are hidden.
variants-hidden-count = { $count ->
    [one] { $count } variant ran, outcomes hidden
   *[other] { $count } variants ran, outcomes hidden
}
variants-few = Outcomes of fewer than 3 variants are counted but not shown.
variants-others = { $count ->
    [one] { $count } other, with an outcome of fewer than 3 variants
   *[other] { $count } others, with outcomes of fewer than 3 variants
}

variants-raised = { $line ->
    [0] Raised `{ $exception }`
   *[other] Raised `{ $exception }` in line { NUMBER($line, useGrouping: 0) }
}
variants-raised-some = { $line ->
    [0] Raised a custom exception
   *[other] Raised a custom exception in line { NUMBER($line, useGrouping: 0) }
}
variants-silently-wrong = { $line ->
    [0] A gradient is silently wrong
   *[other] Line { NUMBER($line, useGrouping: 0) } makes a gradient silently wrong
}
variants-stale = { $line ->
    [0] A saved tensor is stale
   *[other] Line { NUMBER($line, useGrouping: 0) } makes a saved tensor stale
}
variants-finished = Finished with result { NUMBER($number, useGrouping: 0) }
variants-exited = Exited by itself
variants-stopped = Reached the limit of steps
variants-timed-out = Took too long
variants-out-of-memory = Needed too much memory
variants-output-too-large = Printed too much
variants-trace-too-large = The recording became too large
variants-crashed = Crashed
variants-interfered = The code interfered with its recording
variants-otherwise = The run ended in another way

variants-collect = Collect variants
variants-close = Stop collecting
variants-open = Resume collecting
variants-hide = Hide from the class
variants-show = Show to the class
variants-end = Delete all
variants-end-sure = Delete all variants for good
variants-none = You are not collecting variants now. While you collect variants, each student changes a line of the snippet that the class follows, and runs the changed snippet. Runs with the same outcome are counted together.
variants-means = Values and code are shown only on this page. The class sees each outcome that at least 3 variants share, and each outcome that you show.
variants-hidden-means = Values and code are shown only on this page. The class sees no outcome until you show the outcomes.
variants-presented = This page is in presenter mode: values, code and outcomes of fewer than 3 variants are hidden.
variants-choose = Choose an outcome to see the changes.
variants-pick = Pick
variants-picked = Picked
variants-pick-named = Pick: { $end }
variants-picked-named = Picked: { $end }
variants-pick-means = Pick one outcome to compare it with the snippet, or two to compare them.
variants-wrote = { $count ->
    [one] { $count } student
   *[other] { $count } students
}
variants-unchanged = Nothing was changed.
variants-changed = Changed lines
variants-show-one = Compare the variant with the snippet
variants-show-two = Compare both
variants-compared = The class sees a comparison.
variants-back = Back to the snippet

variants-of-room = the snippet of the class
variants-one = a variant
variants-one-ended = variant: { $end }

key-variants = room: collect variants of the snippet, and their outcomes
key-variants-run = room: change a line and run it for the class
key-variants-hide = room: hide the outcomes of variants, or show them

error-no_variants = The teacher does not collect variants now: run it again for yourself.
error-variants_closed = The teacher has stopped collecting variants: run it again for yourself.
error-unknown_class = No variant has this outcome now: choose an outcome that is shown.
error-too_large_variant = This is longer than a variant may be (8 KiB): shorten it, or follow the teacher and edit your copy to run it for yourself.
