### Findings about programs that run without an error but compute something other than intended.

finding-rebound_parameter-title = A Parameter that is not changed
finding-rebound_parameter = Line { NUMBER($line, useGrouping: 0) } assigns a new tensor, `{ $value }`, to the variable `{ $variable }`. It does not write to the Parameter that `{ $variable }` referred to, such as `{ $name }`, and nothing reads the new tensor, so the line has no effect. To change the Parameter itself, copy the values into it: `{ $variable }.copy_(...)` under `torch.no_grad()`.

finding-loaded_nothing-title = A state dict that loads nothing
finding-loaded_nothing =
    Line { NUMBER($line, useGrouping: 0) } changes no Parameter of `{ $module }`: no key of { $state ->
        [none] the state dict
       *[other] `{ $state }`
    } is a name in `{ $module }`, and `strict=False` skips the others without an error. { $entry ->
        [none] {""}
       *[other] The state dict has `{ $entry }`, the module `{ $name }`.{" "}
    }Compare the keys, and remove a prefix such as `module.`.

finding-gradient_ignored-title = A `backward` that does not use its gradient
finding-gradient_ignored = `{ $function }.backward` (line { NUMBER($method_line, useGrouping: 0) }) never uses `{ $parameter }`, the gradient of the loss with respect to its output. By the chain rule its result must be multiplied by it. In the backward on line { NUMBER($line, useGrouping: 0) } that gradient is not 1, so every gradient that passes through `{ $function }` is wrong.

finding-without_keepdim-title = `keepdim=True` is missing
finding-without_keepdim = `{ $part }` (line { NUMBER($reduced_line, useGrouping: 0) }) reduces `{ $whole }` along dimension { NUMBER($dimension, useGrouping: 0) } and has shape `{ $reduced_shape }`. Broadcasting aligns shapes from the right, so on line { NUMBER($line, useGrouping: 0) } its elements are not aligned with the elements of `{ $whole }` (shape `{ $shape }`) from which they were computed. `keepdim=True` aligns them.
fix-keepdim = Add `keepdim=True`

finding-loss_values-title = Values that the loss does not expect
finding-loss_values =
    `{ $given }` contains { $value }, but `{ $loss }` on line { NUMBER($line, useGrouping: 0) } expects { $rule ->
        [log] log-probabilities, which are never above 0. Apply `log_softmax` to the scores first.
        [probability] targets between 0 and 1. With other targets the loss can fall below 0 and has no minimum.
       *[sign] targets that are 1 or -1.
    }

finding-vanished_gradient-title = A gradient that is always 0
finding-vanished_gradient =
    { $how ->
        [product] One factor of the product on line { NUMBER($maker_line, useGrouping: 0) }{ $by ->
            [none] {" "}is all 0
           *[other] , `{ $by }`, is all 0
        }, so the gradient of the other factor is 0
       *[range] `{ $how }` on line { NUMBER($maker_line, useGrouping: 0) } passes on no gradient: each value that gets a gradient is in the range where `{ $how }` is constant
    }. So each backward on line { NUMBER($line, useGrouping: 0) } computes a gradient of all zeros for `{ $name }`, and no step changes it.{ $others ->
        [0] {""}
        [one] {" "}The same is true of 1 other Parameter.
       *[other] {" "}The same is true of { NUMBER($others, useGrouping: 0) } other Parameters.
    }{ $how ->
        [product] {" "}Initialize weights with random values, not with 0.
       *[range] {""}
    }

finding-unchanged_step-title = The steps change no Parameter
finding-unchanged_step =
    The last { $steps } steps of `{ $optimizer }` (line { NUMBER($line, useGrouping: 0) }) leave `{ $name }` { $others ->
        [0] {""}
        [one] and 1 other Parameter {""}
       *[other] and { NUMBER($others, useGrouping: 0) } other Parameters {""}
    }unchanged, although the gradient of `{ $name }` is not 0. { $rate ->
        [zero] The learning rate on line { NUMBER($maker_line, useGrouping: 0) } is 0.
       *[unknown] Each update is 0, or too small to change a value of this dtype. Check the learning rate and its schedule.
    }
fix-learning_rate = Use the default learning rate, 1e-3

finding-growing_loss-title = The loss grows with each step
finding-growing_loss =
    { $name ->
        [none] The loss on line { NUMBER($line, useGrouping: 0) }
       *[other] `{ $name }` (line { NUMBER($line, useGrouping: 0) })
    } grows with each of { $steps } steps of `{ $optimizer }`, from { $first } to { $last }. { $rate ->
        [unknown] The learning rate is
       *[other] The learning rate { $rate } (line { NUMBER($rate_line, useGrouping: 0) }) is
    } probably too large: each step goes past the minimum and ends farther away from it than it began.
fix-lower_rate = Use a lower learning rate

finding-without_backward-title = No backward before the step
finding-without_backward = `{ $optimizer }` steps { $steps } times, but no backward runs, so its Parameters, such as `{ $name }`, have no gradient and the step on line { NUMBER($line, useGrouping: 0) } changes nothing. Call `backward()` on the loss before it.

finding-growing_graph-title = A graph that grows with each iteration
finding-growing_graph = The backward on line { NUMBER($line, useGrouping: 0) } keeps its graph, so in each iteration it also goes through the graphs of all earlier iterations: it runs { $first } Nodes in the first iteration and { $last } in the last. A tensor that is carried from one iteration to the next is still connected to all earlier graphs. If only the current iteration is meant, detach this tensor at the start of each iteration and remove `retain_graph=True`.

finding-after_loop-title = A backward after the loop
finding-after_loop = The loop computes `{ $name }` { $rounds } times (line { NUMBER($maker_line, useGrouping: 0) }), but the backward on line { NUMBER($line, useGrouping: 0) } comes after the loop: it uses only the last `{ $name }`. No backward runs for the others. Move the backward into the loop, or add up the losses.

finding-uninitialized-title = Uninitialized values
finding-uninitialized = `{ $maker }` on line { NUMBER($line, useGrouping: 0) } only allocates memory and keeps whatever it contains, and nothing writes to `{ $name }` before a forward pass uses it. Its values are arbitrary, and may be NaN. Initialize it, for instance with a function of `torch.nn.init`.

finding-implicit_dimension-title = `{ $function }` without `dim`
finding-implicit_dimension = `{ $function }` on line { NUMBER($line, useGrouping: 0) } is called without `dim`. For the three dimensions of `{ $given }` (shape `{ $shape }`) it is then applied along dimension 0, so that values of different samples add up to 1. Pass the dimension, usually `dim=-1`.
fix-last_dimension = Use the last dimension: `dim=-1`

finding-permuted_by_view-title = A view does not move dimensions
finding-permuted_by_view = `{ $name }` has shape `{ $shape }`, and line { NUMBER($line, useGrouping: 0) } gives it shape `{ $new_shape }`: the same sizes in another order. `view` and `reshape` keep the elements in their order and change only where dimensions begin and end, so elements of different rows and channels are mixed. To move dimensions, use `permute({ $order })`.

finding-last_of_batch-title = The last sample, not the last step
finding-last_of_batch = `{ $layer }` (line { NUMBER($layer_line, useGrouping: 0) }) is created without `batch_first=True`, so it reads dimension 0 of its input as time and dimension 1 as the batch. `{ $name }` has shape `{ $shape }`, and `{ $piece }` on line { NUMBER($line, useGrouping: 0) } takes the last sample of the batch at every time step. If dimension 0 of the input is the batch, create the layer with `batch_first=True`. Otherwise take `{ $name }[-1]`.
fix-batch_first = Create the layer with `batch_first=True`
