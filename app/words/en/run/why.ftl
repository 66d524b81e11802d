# "Why?": the chain from the selected value back to its origin.
why = Why?
why-means = Show where this value comes from (Shift+y)
why-close = Close the explanation
why-go = Go to step { NUMBER($step, useGrouping: 0) }
why-value = Why is `{ $name }` { $value }?
why-none = Why is `{ $name }` `None`?
why-accumulated =
    { $times ->
        [one] Its AccumulateGrad received { $value }.
       *[other] Its AccumulateGrad ran { $times } times and added each gradient.
    }
why-sent = `{ $node }` of line { NUMBER($line, useGrouping: 0) } sent { $value }.
# A gradient with many elements: its shape and its largest absolute value.
why-gradient = a gradient of shape { $shape }, max |x| = { $size }
why-root = Backward began with { $value }.
why-several =
    { $count ->
        [one] This Node received one gradient.
       *[other] This Node received { $count } gradients, and autograd added them.
    }
why-outputs =
    { $count ->
        [one] This Node received one gradient.
       *[other] This Node has several outputs. It received { $count } gradients for them.
    }
# The origin of one term of a sum.
why-from = from `{ $node }`, line { NUMBER($line, useGrouping: 0) }
why-from-root = from the start of backward
why-follow = Follow this part
why-follows = The chain continues with term { $part } of { $count }.
why-more = … { $count ->
    [one] { $count } more link
   *[other] { $count } more links
}
why-more-parts = … { $count } more
why-stale = `{ $name }` was { $before } when it was saved. Line { NUMBER($line, useGrouping: 0) } has changed it to { $after } since.
why-made =
    { $operator ->
        [none] Line { NUMBER($line, useGrouping: 0) } made `{ $name }`: { $value }.
       *[other] Line { NUMBER($line, useGrouping: 0) } made `{ $name }` with `{ $operator }`: { $value }.
    }
why-written = Line { NUMBER($line, useGrouping: 0) } has written into the storage of `{ $name }` since.
why-inputs = It was computed from:
why-none-plain = `{ $name }` does not require grad.
why-none-result = `{ $name }` is not a leaf. Backward keeps only the gradients of leaves. To keep this one, call `{ $name }.retain_grad()` before backward.
why-none-reset = Line { NUMBER($line, useGrouping: 0) } set it to `None`.
why-none-unused = No recorded operation has used `{ $name }` so far, so no gradient can reach it.
why-none-before = No backward has reached `{ $name }` so far.
why-unknown = The recording does not show where it comes from.
