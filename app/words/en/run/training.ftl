### Findings about training: optimizers, layers, hooks and custom Functions. Line 0 means: not known.

finding-not_in_optimizer-title = A gradient that no optimizer uses
finding-not_in_optimizer =
    `{ $name }`{ $others ->
        [0] {" "}gets
        [one] {" "}and 1 other get
       *[other] {" "}and { NUMBER($others, useGrouping: 0) } others get
    } a gradient from the backward on line { NUMBER($backward_line, useGrouping: 0) }, but no optimizer holds { $others ->
        [0] it
       *[other] them
    }, so no step changes { $others ->
        [0] it
       *[other] them
    }. { $how ->
        [collection] `{ $module }.parameters()` on line { NUMBER($line, useGrouping: 0) } does not include the modules and Parameters in `{ $attribute }`, because a plain list or dict is not registered. Use `nn.ModuleList`, `nn.ModuleDict` or `nn.ParameterList`.
        [tensor] `{ $module }.parameters()` on line { NUMBER($line, useGrouping: 0) } does not include { $others ->
            [0] it
           *[other] them
        }, because a plain tensor is not a Parameter. Use `nn.Parameter`.
        [later] { $others ->
            [0] It was
           *[other] They were
        } added after line { NUMBER($line, useGrouping: 0) } created the optimizer from `{ $module }.parameters()`. Create the optimizer after the model is complete, or use `add_param_group`.
       *[other] `{ $module }.parameters()` on line { NUMBER($line, useGrouping: 0) } does not include { $others ->
            [0] it
           *[other] them
        }, because the module is not registered in `{ $module }`.
    }
fix-register_layers = Register the layers: `ModuleList` or `ModuleDict`
fix-make_parameter = Make it a Parameter: `nn.Parameter`

finding-no_parameters-title = A model without Parameters
finding-no_parameters =
    { $how ->
        [init] `{ $module }.parameters()` is empty: `{ $type }` has no `__init__`, because line { NUMBER($written_line, useGrouping: 0) } calls it `{ $written }`, which Python does not call. Write two underscores on each side.
        [collection] `{ $module }.parameters()` is empty, though `{ $name }` requires grad: it is in a plain list or dict, which is not registered. Use `nn.ModuleList` or `nn.ModuleDict`.
       *[tensor] `{ $module }.parameters()` is empty, though `{ $name }` requires grad: only a Parameter or a module that is assigned to an attribute is registered. Use `nn.Parameter`.
    } The optimizer on line { NUMBER($line, useGrouping: 0) } has nothing to update.{ error-caught }
fix-spell_init = Rename the method `__init__`

finding-zeroed_before_step-title = Gradients cleared before the step
finding-zeroed_before_step = The backward on line { NUMBER($backward_line, useGrouping: 0) } computes the gradients, `zero_grad()` on line { NUMBER($zero_line, useGrouping: 0) } clears them, and the step on line { NUMBER($line, useGrouping: 0) } has no gradients to use and changes nothing. Call `zero_grad()` before the backward or after the step.
fix-zero_after_step = Call `zero_grad()` after the step

finding-clipped_after_step-title = Gradients clipped after the step
finding-clipped_after_step = `{ $function }` on line { NUMBER($line, useGrouping: 0) } comes after the step on line { NUMBER($step_line, useGrouping: 0) }, which already used the unclipped gradients. No later step uses the clipped ones. Clip between backward and step.
fix-clip_before_step = Clip the gradients before the step

finding-eaten_activation-title = An activation overwritten in place
finding-eaten_activation =
    Line { NUMBER($line, useGrouping: 0) } runs { $layer ->
        [none] a layer with `inplace=True`
       *[other] `{ $layer }` with `inplace=True` (line { NUMBER($flag_line, useGrouping: 0) })
    }: its `{ $operator }` overwrites `{ $name }`. { $how ->
        [kept] So `{ $name }` now has the values after the layer, not the values before it.
       *[skip] Line { NUMBER($reader_line, useGrouping: 0) } still reads `{ $name }` and gets the values after the layer, not the values before it.
    } Use `inplace=False`.
fix-not_in_place = Use `inplace=False`

finding-hooked_in_place-title = An in-place layer and a full backward hook
finding-hooked_in_place =
    The full backward hook that line { NUMBER($hook_line, useGrouping: 0) } registers makes the module's input or output a view that cannot be modified in place, and { $layer ->
        [none] a layer with `inplace=True`
       *[other] `{ $layer }` with `inplace=True` (line { NUMBER($flag_line, useGrouping: 0) })
    } modifies it on line { NUMBER($line, useGrouping: 0) }. Use `inplace=False`.{ error-caught }

finding-moving_batch_norm-title = A frozen batch norm whose statistics change
finding-moving_batch_norm = Line { NUMBER($frozen_line, useGrouping: 0) } turns off `requires_grad` in `{ $module }`, but its batch norm is in training mode: the forward pass on line { NUMBER($line, useGrouping: 0) } changes `{ $name }` and `running_var`. `{ $module }.eval()` keeps them fixed.
fix-eval_frozen = Switch the module to evaluation mode: `eval()`

# The last sentences of the finding about a gradient that is not finite.
error-remedy =
    { $origin ->
        [none] {""}
       *[other] {" "}The first such value comes from `{ $origin }` on line { NUMBER($origin_line, useGrouping: 0) }.
    }{ $remedy ->
        [where] {" "}Keep the argument of that branch in range, too: `torch.where(ok, f(torch.where(ok, x, 1)), other)`.
        [root] {" "}The derivative of a square root at 0 is infinite. Add a small number under the root, such as `1e-12`.
        [power] {" "}Where the base is 0, the derivative of this power is not finite. Keep the base above 0, for instance with `clamp(min=1e-12)`.
        [std] {" "}Where all values are equal, `std` is 0 and its derivative is not finite. Use `var`, or `(x.var() + 1e-12).sqrt()`.
        [log] {" "}The logarithm of 0 is `-inf`, and of a negative number NaN. Keep its argument above 0, for instance with `clamp(min=1e-12)`, or use `log_softmax` or `logsigmoid`.
        [division] {" "}It divides by 0. Add a small number to the divisor.
        [arc] {" "}The derivatives of `acos` and `asin` are infinite at 1 and -1. Keep the argument inside, for instance with `clamp(-1 + 1e-6, 1 - 1e-6)`.
        [exp] {" "}`exp` is too large for the dtype. Subtract the maximum first, or use `logsumexp` or `softmax`.
       *[none] {""}
    }

finding-live_module-title = A second name, not a copy of the model
finding-live_module = Line { NUMBER($line, useGrouping: 0) } makes `{ $name }` another name for `{ $model }` and copies nothing. So line { NUMBER($write_line, useGrouping: 0) } also changes the weights of `{ $name }`.
fix-copy_module = Keep a copy: `copy.deepcopy`

finding-embedding_index-title = An index beyond the embedding
finding-embedding_index = `{ $indices }` holds the index { NUMBER($index, useGrouping: 0) }, but `{ $module }` (line { NUMBER($made_line, useGrouping: 0) }) has { $rows ->
        [one] 1 row
       *[other] { NUMBER($rows, useGrouping: 0) } rows
    }: line { NUMBER($line, useGrouping: 0) } accepts indices from 0 to { NUMBER($last, useGrouping: 0) }. The first argument of `Embedding` is the number of rows.{ error-caught }

finding-kept_on_ctx-title = A tensor kept on `ctx` and changed before backward
finding-kept_on_ctx = Line { NUMBER($line, useGrouping: 0) } keeps `{ $given }` as `{ $kept }`, which autograd does not check. Line { NUMBER($write_line, useGrouping: 0) } changes it in place, so backward on line { NUMBER($reader_line, useGrouping: 0) } reads the new values. `ctx.save_for_backward({ $given })` lets autograd check it.
fix-clone_on_ctx = Keep a copy: `.clone()`

finding-none_grad-title = A gradient that is None
finding-none_grad =
    `{ $name }.grad` on line { NUMBER($line, useGrouping: 0) } is None{ $called ->
        [none] {""}
       *[other] {" "}(`{ $name }` is `{ $called }` here)
    }: { $how ->
        [frozen] `{ $name }` (line { NUMBER($by_line, useGrouping: 0) }) does not require grad, so backward stores no gradient in it.
        [turned_off] line { NUMBER($by_line, useGrouping: 0) } set its `requires_grad` to False, and backward had stored no gradient in it.
        [zero_grad] `zero_grad` on line { NUMBER($by_line, useGrouping: 0) } set it to None, and no backward has stored a gradient in it since.
        [cleared] line { NUMBER($by_line, useGrouping: 0) } set it to None, and no backward has stored a gradient in it since.
       *[unreached] no backward has stored a gradient in `{ $name }`{ $by_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($by_line, useGrouping: 0) })
        } before this line.
    }{ error-caught }
fix-skip_none_grad = Skip the tensors whose `.grad` is None

finding-hidden_state-title = An initial state of the wrong shape
finding-hidden_state =
    { error-shapes } With this input, `{ $module }` (`{ $layer }`) on line { NUMBER($line, useGrouping: 0) } expects a state of shape `{ $wanted }`: { $rule ->
        [batch] its dimension 1 is the batch size, and the input has { NUMBER($batch, useGrouping: 0) } in dimension { $at }.
        [batch_first] its dimension 0 counts the layers and directions, and its dimension 1 is the batch size, also with `batch_first=True`.
        [layers] its dimension 0 counts the layers of `{ $module }`, twice if it is bidirectional: { NUMBER($layers, useGrouping: 0) }.
        [hidden] its last dimension is the hidden size, { NUMBER($hidden, useGrouping: 0) }.
        [cell] the batch size of the input, if it has one, and the hidden size, { NUMBER($hidden, useGrouping: 0) }.
       *[dimensions] layers and directions, { $batch ->
            [0] {""}
           *[other] batch size,{" "}
        }hidden size.
    }{ error-caught }

finding-gradient_count-title = `backward` returns the wrong number of gradients
finding-gradient_count =
    `{ $forward }` is called with { $inputs ->
        [one] 1 input
       *[other] { NUMBER($inputs, useGrouping: 0) } inputs
    } (`{ $names }`), but `{ $function }` returns { $returned ->
        [one] 1 gradient
       *[other] { NUMBER($returned, useGrouping: 0) } gradients
    } on line { NUMBER($return_line, useGrouping: 0) }, so the backward on line { NUMBER($line, useGrouping: 0) } fails. Return one gradient for each input, in the same order{ $missing ->
        [none] .
       *[other] , and `None` for an input that needs no gradient, here `{ $missing }`.
    }
fix-none_for_inputs = Return `None` for the inputs that need no gradient

finding-gradient_shape-title = A gradient of the wrong shape
finding-gradient_shape =
    { $how ->
        [hook] The hook
       *[backward] `{ $function }`
    } returns `{ $given }` of shape `{ $shape }` on line { NUMBER($return_line, useGrouping: 0) } as the gradient of `{ $name }`, which needs shape `{ $wanted }`, so the backward on line { NUMBER($line, useGrouping: 0) } fails. { $how ->
        [hook] A hook must return a gradient of the same shape, or nothing.
       *[backward] A gradient must have the shape of its input.
    }

finding-einsum_mismatch-title = The subscripts of `einsum` do not match the shapes
finding-einsum_mismatch =
    { $rule ->
        [size] { error-shapes } In the `einsum` on line { NUMBER($line, useGrouping: 0) }, the subscript `{ $letter }` stands for dimension { $left_at } of `{ $left }` and dimension { $right_at } of `{ $right }`, so the sizes must be equal or 1, but they are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [repeated] `{ $left }` has shape `{ $left_shape }`. In the `einsum` on line { NUMBER($line, useGrouping: 0) }, the subscript `{ $letter }` stands for dimensions { $left_at } and { $right_at } of `{ $left }`, so their sizes must be equal, but they are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [result] The `einsum` on line { NUMBER($line, useGrouping: 0) } has the subscript `{ $letter }` after `->`, but none of its operands has it: `{ $term }`.
       *[count] `{ $left }` has shape `{ $left_shape }`, so it has { $dimensions ->
            [one] 1 dimension
           *[other] { $dimensions } dimensions
        }, but the `einsum` on line { NUMBER($line, useGrouping: 0) } gives it { $letters ->
            [0] no subscript
            [one] 1 subscript
           *[other] { $letters } subscripts
        }{ $letters ->
            [0] {""}
           *[other] {" "}(`{ $term }`)
        }. Each dimension needs one subscript.
    }{ error-caught }

finding-attention_mismatch-title = The shapes of query, key and value do not match
finding-attention_mismatch =
    { error-shapes } { $rule ->
        [embedding] On line { NUMBER($line, useGrouping: 0) }, each query is multiplied with each key, so their last dimensions must have the same size, but the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [length] On line { NUMBER($line, useGrouping: 0) }, there is one value for each key, so their second-to-last dimensions must have the same size, but the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
       *[batch] On line { NUMBER($line, useGrouping: 0) }, the dimensions before the last two are batch dimensions and must be equal or 1. In dimension { $at }, the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
    }{ error-caught }

finding-index_beyond-title = An index out of range
finding-index_beyond =
    `{ $left }`{ $left_line ->
        [0] {""}
       *[other] {" "}({ $left_from ->
            [made] line
           *[view] from line
        } { NUMBER($left_line, useGrouping: 0) })
    } has shape `{ $left_shape }`. { $rule ->
        [count] Line { NUMBER($line, useGrouping: 0) } gives { $indices ->
            [one] 1 index
           *[other] { $indices } indices
        }, but it has { $dimensions ->
            [0] no dimension: `.item()` reads its number
            [one] only 1 dimension
           *[other] only { $dimensions } dimensions
        }.
        [held] `{ $right }` holds the index { NUMBER($index, useGrouping: 0) }, but dimension { $at } has size { NUMBER($size, useGrouping: 0) }{ $size ->
            [0] {""}
           *[other] , so `{ $function }` on line { NUMBER($line, useGrouping: 0) } accepts indices from 0 to { NUMBER($last, useGrouping: 0) }
        }.
        [negative] Line { NUMBER($line, useGrouping: 0) } asks for index { NUMBER($index, useGrouping: 0) } in dimension { $at }, which has size { NUMBER($size, useGrouping: 0) }{ $size ->
            [0] {""}
           *[other] : counted from the end, its indices go from -1 to -{ NUMBER($size, useGrouping: 0) }
        }.
       *[number] Line { NUMBER($line, useGrouping: 0) } asks for index { NUMBER($index, useGrouping: 0) } in dimension { $at }, which has size { NUMBER($size, useGrouping: 0) }{ $size ->
            [0] {""}
           *[other] : its indices go from 0 to { NUMBER($last, useGrouping: 0) }
        }.
    }{ error-caught }

finding-gather_mismatch-title = The index tensor does not match
finding-gather_mismatch =
    { error-shapes } { $rule ->
        [count] For `{ $function }` on line { NUMBER($line, useGrouping: 0) }, both must have the same number of dimensions, but they have { $left_size } and { $right_size }.
        [vector] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects an index with one dimension, but this one has { $right_size }.
       *[larger] For `{ $function }` along dimension { $dimension } on line { NUMBER($line, useGrouping: 0) }, the index tensor may be larger in that dimension only. In dimension { $at }, the sizes are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
    }{ error-caught }

finding-read_while_written-title = A write that reads what it has already changed
finding-read_while_written = Line { NUMBER($line, useGrouping: 0) } writes `{ $name }` in place and reads `{ $read }` from the same memory. Some elements are read after they were changed, so the result differs from a result computed from the values before line { NUMBER($line, useGrouping: 0) }. PyTorch does not check this. Read a copy: `{ $read }.clone()`.
