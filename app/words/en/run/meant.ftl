### Findings about programs that finish but do not do what was intended: iterators, hooks, optimizers, modes, data.

finding-not_called-title = A method that is not called
finding-not_called = Line { NUMBER($line, useGrouping: 0) } names `{ $method }` but does not call it: the parentheses are missing, so nothing happens. Write `{ $method }()`.
fix-call_method = Add the parentheses

finding-never_stepped-title = The optimizer never steps
finding-never_stepped =
    { $backwards } backward passes compute gradients for `{ $name }`{ $others ->
        [0] {""}
        [one] {" "}and 1 other Parameter of `{ $optimizer }`
       *[other] {" "}and { NUMBER($others, useGrouping: 0) } other Parameters of `{ $optimizer }`
    }, but `{ $optimizer }.step()` is never called, so { $others ->
        [0] it does
       *[other] they do
    } not change. Call it after each backward.

finding-optimizer_made_again-title = A new optimizer each time
finding-optimizer_made_again =
    Line { NUMBER($line, useGrouping: 0) } runs { $runs } times and creates a new `{ $function }` each time, for the same Parameters, such as `{ $name }`. A new optimizer starts without the state of the previous one, such as averages of earlier gradients. { $how ->
        [single] Each one makes only one step, so earlier gradients are never used.
       *[several] This state is lost each time.
    } Create the optimizer once. To change only the learning rate, use a scheduler from `torch.optim.lr_scheduler`.

finding-shared_by_optimizers-title = Two optimizers with the same Parameters
finding-shared_by_optimizers = `{ $one }` (line { NUMBER($one_line, useGrouping: 0) }) and `{ $other }` (line { NUMBER($other_line, useGrouping: 0) }) hold the same Parameters, such as `{ $name }`, and both step in turn. If `{ $other }` is meant for another model, give it that model's `parameters()`.

finding-exhausted_iterator-title = An exhausted iterator
finding-exhausted_iterator = `{ $name }` (line { NUMBER($made_line, useGrouping: 0) }) is an iterator: it returns each element only once. Line { NUMBER($first_line, useGrouping: 0) } has already gone through all of them once, so now line { NUMBER($line, useGrouping: 0) } gets none. Keep a list: `list(...)`.
fix-list_elements = Convert the iterator to a list: `list(…)`

finding-hook_without_return-title = A hook that returns nothing
finding-hook_without_return =
    `{ $function }` (registered on line { NUMBER($hook_line, useGrouping: 0) }) computes a new `{ $name }` on line { NUMBER($line, useGrouping: 0) } but does not return it, so { $what ->
        [output] the output
        [input] the input
       *[gradient] the gradient
    } does not change. A hook must return the value to use instead.
fix-return_from_hook = Return the new value from the hook

finding-divided_again-title = The same data is divided twice
finding-divided_again =
    Line { NUMBER($line, useGrouping: 0) } divides `{ $name }` in place, and it has already divided the same elements{ $source ->
        [none] {""}
       *[other] {" "}of `{ $source }`
    } before. It divides the data itself, not a copy, so the data is divided again each time. Divide a copy, or divide only once, before.
fix-divide_a_copy = Divide a copy: `.clone()`

finding-evaluated_in_training_mode-title = Evaluation in training mode
finding-evaluated_in_training_mode =
    Line { NUMBER($line, useGrouping: 0) } runs `{ $model }` without gradients, but in training mode, { $how ->
        [dropout] so dropout still sets random elements to 0
       *[norm] so batch norm uses the statistics of this batch and changes `{ $name }`
    }. `no_grad()` does not change the mode. For an evaluation, call `{ $model }.eval()` before it and `{ $model }.train()` after it.

finding-trained_in_eval_mode-title = Training in evaluation mode
finding-trained_in_eval_mode =
    Line { NUMBER($eval_line, useGrouping: 0) } calls `eval()` for the evaluation, and nothing calls `train()` after it. So from the next iteration on, line { NUMBER($line, useGrouping: 0) } trains `{ $model }` in evaluation mode: { $how ->
        [dropout] dropout does nothing
       *[norm] batch norm uses its running statistics and no longer updates them
    }. Call `{ $model }.train()` before the training continues.

finding-dropout_in_eval-title = Dropout that ignores `eval()`
finding-dropout_in_eval =
    { $how ->
        [made] Line { NUMBER($line, useGrouping: 0) } creates a new dropout module in each call, and a new module is in training mode. So `{ $model }.eval()` on line { NUMBER($eval_line, useGrouping: 0) } does not reach it, and it still drops elements. Create it in `__init__`.
       *[function] `{ $function }` on line { NUMBER($line, useGrouping: 0) } still drops elements after `{ $model }.eval()` on line { NUMBER($eval_line, useGrouping: 0) }: its argument `training` is `True` by default and does not depend on the module. Pass `training=self.training`.
    }
fix-pass_training = Pass `training=self.training`

finding-constant_term-title = A term of the loss without a gradient
finding-constant_term = `{ $term }` in the sum on line { NUMBER($sum_line, useGrouping: 0) } has no graph.{ error-cut_off } So it is a constant for the backward on line { NUMBER($line, useGrouping: 0) }: it changes the value of the loss but no gradient.

finding-never_reached-title = Parameters that the loss does not depend on
finding-never_reached =
    { $how ->
        [all] `{ $optimizer }` steps on line { NUMBER($line, useGrouping: 0) }, but no backward computed a gradient for any of its Parameters, such as `{ $name }`, so its steps change nothing. The loss is not connected to them.
       *[some] `{ $optimizer }` holds `{ $name }`{ $others ->
            [0] {""}
            [one] {" "}and 1 other Parameter
           *[other] {" "}and { NUMBER($others, useGrouping: 0) } other Parameters
        } for which no backward computed a gradient, so no step changes { $others ->
            [0] it
           *[other] them
        }. No loss that a backward ran from is connected to { $others ->
            [0] it
           *[other] them
        }.
    }

finding-fresh_layer-title = A new layer in each forward pass
finding-fresh_layer = Line { NUMBER($line, useGrouping: 0) } creates a new `{ $layer }` in each forward pass. Its weights are new each time, and no optimizer holds them, so they are never trained. Create the layer once, in `__init__`.

finding-softmax_dimension-title = Probabilities along the wrong dimension
finding-softmax_dimension = The loss on line { NUMBER($line, useGrouping: 0) } expects one sample per row, but `log_softmax` on line { NUMBER($applied_line, useGrouping: 0) } is applied along dimension 0. So the probabilities of each column add up to 1, not those of each row. Use `dim=1`.

finding-repeated_index-title = A repeated index counts only once
finding-repeated_index = `{ $index }` holds the index { NUMBER($repeated, useGrouping: 0) } more than once. Line { NUMBER($line, useGrouping: 0) } reads `{ $name }[{ $index }]`, adds, and writes the results back: if one element gets several results, only one is kept. Use `index_add_`, or `index_put_` with `accumulate=True`.

finding-module_flag-title = This attribute freezes nothing
finding-module_flag =
    { $how ->
        [tensor] `{ $flag }` on line { NUMBER($line, useGrouping: 0) } is not an attribute of PyTorch: it is added to `{ $owner }` as a new attribute, and `{ $owner }.requires_grad` does not change. The correct name is `requires_grad`.
       *[module] `{ $owner }` is a module. Line { NUMBER($line, useGrouping: 0) } only adds an attribute `{ $flag }` to it; the `requires_grad` of its Parameters does not change. Use `{ $owner }.requires_grad_({ $wanted })`.
    }
fix-set_flag = Use `requires_grad_`
