# Variants: everybody in a class changes a line, and runs that ended alike are counted together.

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
variants-few = An outcome of fewer than 3 is counted, and not shown by itself.
variants-others = { $count ->
    [one] { $count } other, whose outcome fewer than 3 share
   *[other] { $count } others, whose outcome fewer than 3 share
}

variants-raised = { $line ->
    [0] Raised `{ $exception }`
   *[other] Raised `{ $exception }` in line { NUMBER($line, useGrouping: 0) }
}
variants-raised-some = { $line ->
    [0] Raised an exception of its own
   *[other] Raised an exception of its own in line { NUMBER($line, useGrouping: 0) }
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
variants-stopped = Reached the most steps of a recording
variants-timed-out = Took too long
variants-out-of-memory = Needed too much memory
variants-output-too-large = Printed too much
variants-trace-too-large = Its recording became too large
variants-crashed = Crashed
variants-interfered = Interfered with its recording
variants-otherwise = Ended otherwise

variants-collect = Collect variants
variants-close = Stop collecting
variants-open = Collect on
variants-hide = Hide from the class
variants-show = Show to the class
variants-end = Delete all
variants-end-sure = Delete all of them for good
variants-none = Nothing is collected. Every student changes a line of the snippet that the class follows and runs it; runs that ended alike are counted together.
variants-means = Values and code stand on this page alone. The class sees outcomes of 3 and more, and those that you show.
variants-hidden-means = Values and code stand on this page alone. The class sees no outcome until you show them.
variants-presented = This page is presented: values, code and outcomes of fewer than 3 are left out.
variants-choose = Choose an outcome to see what was changed.
variants-pick = Pick
variants-picked = Picked
variants-pick-named = Pick: { $end }
variants-picked-named = Picked: { $end }
variants-pick-means = Pick one outcome to show it beside the snippet, or two to show them beside each other.
variants-wrote = { $count ->
    [one] { $count } student
   *[other] { $count } students
}
variants-unchanged = Nothing was changed.
variants-changed = Changed lines
variants-show-one = Show it beside the snippet
variants-show-two = Show both beside each other
variants-compared = The class sees a comparison.
variants-back = Back to the snippet

variants-of-room = the snippet of the class
variants-one = a variant
variants-one-ended = variant: { $end }

key-variants = room: collect variants of the snippet, and what became of them
key-variants-run = room: change a line and run it for the class
key-variants-hide = room: hide the outcomes of variants, or show them

error-no_variants = Nobody collects variants here any more: run it again, for yourself.
error-variants_closed = The teacher has stopped collecting variants: run it again, for yourself.
error-unknown_class = No variant ended in this way, or none does any more: choose one that is shown.
error-too_large_variant = This is longer than a variant may be (8 KiB): shorten it, or follow the teacher and edit your copy to run it for yourself.
