### Findings about training that continues without an error but is wrong.

finding-untrained_parameter-title = A Parameter that no gradient reaches
finding-untrained_parameter =
    `{ $optimizer }` holds `{ $name }`, but no backward computes its gradient, so the step on line { NUMBER($line, useGrouping: 0) } never changes it.{ error-cut_off }{ $others ->
        [0] {""}
        [one] {" "}The same is true of 1 other Parameter.
       *[other] {" "}The same is true of { NUMBER($others, useGrouping: 0) } other Parameters.
    }

finding-zero_gradient-title = `{ $function }` passes on no gradient
finding-zero_gradient =
    The derivative of `{ $function }` (line { NUMBER($maker_line, useGrouping: 0) }) is 0 wherever it is defined, and the backward on line { NUMBER($line, useGrouping: 0) } reaches `{ $name }` only through it. So this backward computes a gradient of all zeros for `{ $name }`.{ $others ->
        [0] {""}
        [one] {" "}The same is true of 1 other leaf.
       *[other] {" "}The same is true of { NUMBER($others, useGrouping: 0) } other leaves.
    } A straight-through estimator, `x + ({ $function }(x) - x).detach()`, passes the gradient on.

finding-constant_gradient-title = A gradient without its graph
finding-constant_gradient =
    `torch.autograd.grad` on line { NUMBER($grad_line, useGrouping: 0) } has no `create_graph=True`, so `{ $gradient }` has no graph. { $how ->
        [inner] Line { NUMBER($use_line, useGrouping: 0) } subtracts it from `{ $name }`, and the backward on line { NUMBER($line, useGrouping: 0) } goes back through this step as if the gradient were a constant. So `{ $name }.grad` has no second-order terms. If a first-order gradient is meant, write `create_graph=False`.
       *[term] It depends on `{ $name }`, but in `{ $root }` it is a constant: the backward on line { NUMBER($line, useGrouping: 0) } computes no gradient through it.
    }

finding-kept_weights-title = Kept weights that follow the model
finding-kept_weights = `{ $name }` (line { NUMBER($maker_line, useGrouping: 0) }) is not a copy: it shares memory with `{ $weight }`. The step on line { NUMBER($write_line, useGrouping: 0) } changed both, so on line { NUMBER($line, useGrouping: 0) } both have the same values.
fix-clone_weights = Keep a copy: `.detach().clone()`

finding-softmax_twice-title = { $again ->
        [log] Probabilities where their logarithm is expected
       *[other] Probabilities where logits are expected
    }
finding-softmax_twice =
    { $loss ->
        [none] The loss on line { NUMBER($line, useGrouping: 0) }
       *[other] `{ $loss }` on line { NUMBER($line, useGrouping: 0) }
    } { $again ->
        [log] expects logarithms of probabilities, but its input is the result of `{ $applied }` (line { NUMBER($applied_line, useGrouping: 0) }), the probabilities themselves. Use `log_softmax`.
       *[other] applies `{ $again }` to its input, which is already the result of `{ $applied }` (line { NUMBER($applied_line, useGrouping: 0) }). Its values are between 0 and 1, so the loss is far from 0 even if every prediction is right. Give it the values before `{ $applied }`.
    }
fix-log_softmax = Use `log_softmax`
fix-logits = Give the loss the logits
