### What runs to its end and does not do what was meant: iterators, hooks, optimizers, modes, data.

finding-not_called-title = A method that is not called
finding-not_called = Line { NUMBER($line, useGrouping: 0) } names `{ $method }` and does not call it: the parentheses are missing, so it does nothing. Write `{ $method }()`.
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
    Line { NUMBER($line, useGrouping: 0) } runs { $runs } times, and each time it creates a new `{ $function }` for the same Parameters, such as `{ $name }`. A new optimizer begins without the state of the one before, which holds averages of earlier gradients. { $how ->
        [single] Each makes only one step, so no average is ever used.
       *[several] It is lost at each beginning.
    } Create the optimizer once, before the loop. To change only the learning rate, use a scheduler from `torch.optim.lr_scheduler`.

finding-shared_by_optimizers-title = Two optimizers with the same Parameters
finding-shared_by_optimizers = `{ $one }` (line { NUMBER($one_line, useGrouping: 0) }) and `{ $other }` (line { NUMBER($other_line, useGrouping: 0) }) hold the same Parameters, such as `{ $name }`, and both step in turn. If `{ $other }` is meant for another model, give it that model's `parameters()`.

finding-exhausted_iterator-title = An iterator with nothing left
finding-exhausted_iterator = `{ $name }` (line { NUMBER($made_line, useGrouping: 0) }) is an iterator: it gives its elements only once. Line { NUMBER($first_line, useGrouping: 0) } went through all of them, so line { NUMBER($line, useGrouping: 0) } finds none and does nothing for them. Keep a list: `list(...)`.
fix-list_elements = Keep a list of the elements

finding-hook_without_return-title = A hook that returns nothing
finding-hook_without_return =
    `{ $function }` (registered on line { NUMBER($hook_line, useGrouping: 0) }) computes a new `{ $name }` on line { NUMBER($line, useGrouping: 0) } and returns nothing, so { $what ->
        [output] the output
        [input] the input
       *[gradient] the gradient
    } stays as it was. A hook has to return what is to be used instead.
fix-return_from_hook = Return it from the hook

finding-divided_again-title = The same data divided twice
finding-divided_again =
    Line { NUMBER($line, useGrouping: 0) } divides `{ $name }` in place, and it has done so before with the same elements{ $source ->
        [none] {""}
       *[other] {" "}of `{ $source }`
    }: what was divided is the data itself, not a copy, so each pass divides it again. Divide a copy, or divide once before the loop.
fix-divide_a_copy = Divide a copy: `.clone()`

finding-evaluated_in_training_mode-title = An evaluation in training mode
finding-evaluated_in_training_mode =
    Line { NUMBER($line, useGrouping: 0) } runs `{ $model }` without gradients, but in training mode, { $how ->
        [dropout] so dropout still sets random elements to 0
       *[norm] so batch norm uses the statistics of this batch and changes `{ $name }`
    }. `no_grad()` does not change the mode. For an evaluation, call `{ $model }.eval()` before it and `{ $model }.train()` after it.

finding-trained_in_eval_mode-title = Training in evaluation mode
finding-trained_in_eval_mode =
    Line { NUMBER($eval_line, useGrouping: 0) } calls `eval()` for the evaluation, and nothing calls `train()` after it. So from the next round on, line { NUMBER($line, useGrouping: 0) } trains `{ $model }` in evaluation mode: { $how ->
        [dropout] dropout does nothing
       *[norm] batch norm uses its running statistics and no longer updates them
    }. Call `{ $model }.train()` before training goes on.
