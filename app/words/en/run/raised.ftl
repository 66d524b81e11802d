# Findings about the exception of a run: dtypes, class indices, modes, and arguments of a function.

# The dtypes of `left` and `right`. `error-shapes` is the same for shapes.
error-dtypes =
    `{ $left }`{ $left_line ->
        [0] {""}
       *[other] { $left_from ->
            [made] {" "}(line { NUMBER($left_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($left_line, useGrouping: 0) })
        }
    } has dtype `{ $left_dtype }` and `{ $right }`{ $right_line ->
        [0] {""}
       *[other] { $right_from ->
            [made] {" "}(line { NUMBER($right_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($right_line, useGrouping: 0) })
        }
    } has dtype `{ $right_dtype }`.

# The dtype of `left`.
error-dtype =
    `{ $left }`{ $left_line ->
        [0] {""}
       *[other] { $left_from ->
            [made] {" "}(line { NUMBER($left_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($left_line, useGrouping: 0) })
        }
    } has dtype `{ $left_dtype }`.

finding-dtype_mismatch-title = These dtypes differ
finding-dtype_mismatch =
    { error-dtypes } { $rule ->
        [layer] `{ $function }` (`{ $kind_of_layer }`) on line { NUMBER($line, useGrouping: 0) } does not convert its input, so the input must have the dtype of the layer's weight.
        [weight] `{ $function }` on line { NUMBER($line, useGrouping: 0) } multiplies the class weights with its input, so both must have the same dtype.
        [write] { $function ->
            [index] Line { NUMBER($line, useGrouping: 0) } assigns through an index tensor, which does not convert
           *[other] `{ $function }` on line { NUMBER($line, useGrouping: 0) } does not convert
        } what it writes, so both must have the same dtype.
       *[product] `{ $function }` on line { NUMBER($line, useGrouping: 0) } does not convert dtypes, so both must have the same.
    }{ $method ->
        [none] {""}
       *[other] {" "}{ $rule ->
            [product] `.float()` converts a tensor to `float32`.
           *[other] `.{ $method }()` converts a tensor to `{ $right_dtype }`.
        }
    }{ error-caught }

fix-convert_dtype = Convert the tensor: add `.{ $method }()`

finding-dtype_refused-title = This dtype is not supported here
finding-dtype_refused =
    { error-dtype } { $rule ->
        [index] Line { NUMBER($line, useGrouping: 0) } uses it as an index; an index tensor must have an integer dtype such as `int64`, or be a boolean mask.
        [embedding] `{ $function }` on line { NUMBER($line, useGrouping: 0) } looks up rows by index, so its input must have dtype `int64` or `int32`.
        [gather] The index of `{ $function }` on line { NUMBER($line, useGrouping: 0) } must have dtype `int64` or `int32`.
        [copy] The index of `{ $function }` on line { NUMBER($line, useGrouping: 0) } must have dtype `int64`.
        [one_hot] `one_hot` on line { NUMBER($line, useGrouping: 0) } expects class indices of dtype `int64`.
        [subtract] PyTorch does not support subtraction of booleans, so line { NUMBER($line, useGrouping: 0) } raises an error. `~` inverts a mask; `.int()` or `.float()` converts it to numbers.
        [negative] PyTorch does not support `-` on booleans, so line { NUMBER($line, useGrouping: 0) } raises an error. `~` inverts a mask.
        [bits] `{ $function }` on line { NUMBER($line, useGrouping: 0) } works on booleans and integers only. For a mask, keep the result of the comparison, which has dtype `bool`.
        [product] `{ $function }` on line { NUMBER($line, useGrouping: 0) } does not multiply booleans as matrices. `.float()` converts them to numbers.
        [mask] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects a mask of dtype `bool`.
        [complex] Complex numbers are not ordered, but { $function ->
            [none] the comparison
           *[other] `{ $function }`
        } on line { NUMBER($line, useGrouping: 0) } needs an order. `.abs()` returns their absolute values, `.real` their real parts.
        [integers] `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes integers only.
       *[floats] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects floating-point numbers.
    }{ error-caught }

fix-convert_to_long = Convert the tensor: add `.long()`
fix-convert_to_float = Convert the tensor: add `.float()`
fix-convert_to_bool = Convert the tensor: add `.bool()`
fix-absolute_value = Take the absolute value: `.abs()`
fix-invert_mask = Invert the mask with `~`

finding-integer_leaf-title = Integers cannot require grad
finding-integer_leaf =
    { $known ->
        [yes] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has dtype `{ $dtype }`, so line { NUMBER($line, useGrouping: 0) } raises an error
       *[no] `{ $left }` on line { NUMBER($line, useGrouping: 0) } creates a tensor of dtype `{ $dtype }`
    }. Only floating-point and complex tensors can require grad.{ error-caught }

fix-make_floats = Create the tensor with `dtype=torch.float32`

finding-class_index-title =
    { $rule ->
        [table] An index out of range
       *[other] A class index out of range
    }
finding-class_index =
    `{ $right }`{ $right_line ->
        [0] {""}
       *[other] { $right_from ->
            [made] {" "}(line { NUMBER($right_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($right_line, useGrouping: 0) })
        }
    } contains { $index }. { $rule ->
        [loss] `{ $left }` has values for { $classes ->
            [one] 1 class
           *[other] { NUMBER($classes, useGrouping: 0) } classes
        }, so `{ $function }` on line { NUMBER($line, useGrouping: 0) } accepts class indices from 0 to { NUMBER($last, useGrouping: 0) }.
        [table] `{ $left }` has { $classes ->
            [one] 1 row
           *[other] { NUMBER($classes, useGrouping: 0) } rows
        }, so `{ $function }` on line { NUMBER($line, useGrouping: 0) } accepts indices from 0 to { NUMBER($last, useGrouping: 0) }.
       *[one_hot] { $sign ->
            [negative] `one_hot` on line { NUMBER($line, useGrouping: 0) } accepts only class indices from 0 on.
           *[beyond] With `num_classes` { NUMBER($classes, useGrouping: 0) }, `one_hot` on line { NUMBER($line, useGrouping: 0) } accepts class indices from 0 to { NUMBER($last, useGrouping: 0) }.
        }
    }{ $advice ->
        [from_one] {" "}These labels go from 1 to { NUMBER($classes, useGrouping: 0) }; class indices start at 0.
        [ignore] {" "}If it marks targets to ignore, pass `ignore_index={ $index }`.
       *[none] {""}
    }{ error-caught }

fix-labels_from_zero = Let the labels start at 0: `- 1`

finding-one_value_per_channel-title = One value per channel has no variance
finding-one_value_per_channel =
    `{ $left }` has shape `{ $left_shape }`, so `{ $module }` (`{ $layer }`) on line { NUMBER($line, useGrouping: 0) } gets one value per channel. { $layer ->
        [InstanceNorm1d] It normalizes each sample with the variance of these values, so it needs more than one.
        [InstanceNorm2d] It normalizes each sample with the variance of these values, so it needs more than one.
        [InstanceNorm3d] It normalizes each sample with the variance of these values, so it needs more than one.
       *[other] In training mode it normalizes with the variance of these values, so it needs more than one. { $rows ->
            [one] The batch has one row: `drop_last=True` of a `DataLoader` drops a last batch of one row. For inference, call `.eval()`, which uses the running statistics.
           *[other] For inference, call `.eval()`, which uses the running statistics.
        }
    }{ error-caught }

fix-squeeze_target = Remove the dimension of size 1: `.squeeze(1)`
fix-transpose_mask = Transpose the mask: `.T`
fix-classes_first = Move the classes to dimension 1: `.transpose(1, 2)`

# The shape of `left`.
error-shape =
    `{ $left }`{ $left_line ->
        [0] {""}
       *[other] { $left_from ->
            [made] {" "}(line { NUMBER($left_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($left_line, useGrouping: 0) })
        }
    } has shape `{ $left_shape }`.

finding-many_values-title = Several values where one is needed
finding-many_values =
    { error-shape } { $rule ->
        [truth] Line { NUMBER($line, useGrouping: 0) } needs it to be true or false, which only a tensor with one element can be. `.any()` or `.all()` reduces it to one element; `torch.where` selects for each element.
        [item] `{ $function }` on line { NUMBER($line, useGrouping: 0) } works only on a tensor with one element. Reduce it first (`.mean()`, `.sum()`), or use `.tolist()` for all values.
        [math] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects one number. The function of the same name in `torch` works element by element.
        [format] The format on line { NUMBER($line, useGrouping: 0) } is for one number. Reduce it first (`.mean()`, `.sum()`), or remove the format.
       *[rebuilt] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects numbers, not tensors with several values. `torch.stack` combines a list of tensors of the same shape into one tensor.
    }{ error-caught }

finding-not_a_tensor-title = This is not a tensor
finding-not_a_tensor =
    { $rule ->
        [joined] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects its tensors in one list or tuple; here they are separate arguments, `{ $name }` first.
        [pair] `{ $name }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } is not a tensor: `{ $maker }` returns { $maker ->
            [LSTM] the output and the final states
            [GRU] the output and the final state
            [RNN] the output and the final state
            [MultiheadAttention] the output and the attention weights
           *[other] values and indices
        }. Line { NUMBER($line, useGrouping: 0) } needs one of them.
        [several] `{ $name }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } is a tuple: `{ $maker }` returns several values on line { NUMBER($written_line, useGrouping: 0) }. Line { NUMBER($line, useGrouping: 0) } needs one of them.
        [nothing] `{ $name }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } is `None`: `{ $maker }`{ $written_line ->
            [0] {" "}changes its list in place and returns nothing
           *[other] {" "}(line { NUMBER($written_line, useGrouping: 0) }) has no `return` with a value
        }. Line { NUMBER($line, useGrouping: 0) } needs a tensor.
        [array] `{ $name }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } is a NumPy array, and line { NUMBER($line, useGrouping: 0) } needs a tensor: `torch.from_numpy({ $name })`.
       *[list] `{ $name }`{ $maker_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($maker_line, useGrouping: 0) })
        } is a `{ $type }`, and line { NUMBER($line, useGrouping: 0) } needs a tensor. `torch.stack` combines tensors of the same shape into one; `torch.tensor` creates a tensor from numbers.
    }{ error-caught }

fix-first_of_pair = Take the first of the returned tensors
fix-take_indices = Use the indices: `.indices`
fix-stack_list = Combine the list into one tensor: `torch.stack`
fix-from_array = Convert the array: `torch.from_numpy`
fix-join_list = Put the tensors into a list

finding-missing_init-title = `super().__init__()` is missing
finding-missing_init = `{ $type }.__init__` (line { NUMBER($init_line, useGrouping: 0) }) assigns `{ $name }` on line { NUMBER($line, useGrouping: 0) } before `nn.Module` is initialized, so the module cannot register it yet. Call `super().__init__()` first.{ error-caught }
fix-call_init = Call `super().__init__()` first

finding-missing_forward-title = There is no `forward`
finding-missing_forward =
    Line { NUMBER($line, useGrouping: 0) } calls { $how ->
        [list] `{ $type }`, but a `{ $container }` only holds modules and has no `forward`. Call its modules one after another, or use `nn.Sequential`.
        [nested] a `{ $type }`, whose `forward` (line { NUMBER($written_line, useGrouping: 0) }) is indented into another method, so the class has no `forward`.
        [spelled] a `{ $type }`, which has no `forward`: line { NUMBER($written_line, useGrouping: 0) } names it `{ $written }`.
       *[missing] a `{ $type }` (line { NUMBER($written_line, useGrouping: 0) }), which defines no `forward`. Calling a module runs its `forward`.
    }{ error-caught }
fix-spell_forward = Rename the method `forward`
fix-make_sequential = Use `nn.Sequential`

finding-forward_arguments-title = `forward` takes other arguments
finding-forward_arguments =
    Calling a module passes its arguments to `forward`. `{ $type }.forward` (line { NUMBER($forward_line, useGrouping: 0) }) { $rule ->
        [no_self] has no parameters, not even `self`.
        [many] takes { $taken ->
            [0] no arguments
           *[other] `{ $names }`
        } after `self`, and line { NUMBER($line, useGrouping: 0) } passes { $given ->
            [one] 1 argument
           *[other] { $given } arguments
        }.
        [unknown] has no parameter `{ $name }`, which line { NUMBER($line, useGrouping: 0) } passes.
       *[missing] also needs `{ $name }`, which line { NUMBER($line, useGrouping: 0) } does not pass.
    }{ error-caught }

finding-loss_class_called-title = A loss is created where it should be computed
finding-loss_class_called = `{ $written }` is a class: line { NUMBER($call_line, useGrouping: 0) } passes `{ $left }` and `{ $right }` to its constructor, as options. Create the loss first and call it with the tensors: `{ $written }()({ $left }, { $right })`.{ error-caught }
fix-call_the_loss = Create the loss, then call it

finding-misplaced_module-title = Another kind of argument is expected
finding-misplaced_module =
    { $rule ->
        [list] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects its modules as separate arguments, not as one list: `{ $function }(*{ $name })`.
        [method] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects Parameters, but `{ $name }` is a method that is not called.
       *[module] `{ $function }` on line { NUMBER($line, useGrouping: 0) } expects Parameters, not a module: `{ $name }.parameters()`.
    }{ error-caught }
fix-unpack_list = Unpack the list: `*`
fix-give_parameters = Pass `.parameters()`
fix-call_parameters = Call `parameters`: add `()`

finding-state_dict_mismatch-title = The state dict does not match the module
finding-state_dict_mismatch =
    { $rule ->
        [prefix] Every key of `{ $given }` begins with `module.`, as `DataParallel` writes them, and no key of `{ $module }` does, so line { NUMBER($line, useGrouping: 0) } finds none of its keys. Remove the prefix.
        [wrapped] `{ $given }` is not itself the state dict that line { NUMBER($line, useGrouping: 0) } needs: its entry `{ $entry }` is.
        [size] `{ $entry }` has shape `{ $wanted_shape }` in `{ $module }` and shape `{ $given_shape }` in `{ $given }`, so line { NUMBER($line, useGrouping: 0) } cannot copy it. `strict=False` does not allow other shapes either; remove the key.
        [both] `{ $given }` on line { NUMBER($line, useGrouping: 0) } has no key `{ $first_missing }`, which `{ $module }` needs, but has the key `{ $first_unexpected }`, which `{ $module }` does not have.
        [missing] `{ $given }` on line { NUMBER($line, useGrouping: 0) } has no key `{ $entry }`, which `{ $module }` needs.
       *[unexpected] `{ $given }` on line { NUMBER($line, useGrouping: 0) } has the key `{ $entry }`, which `{ $module }` does not have.
    }{ error-caught }
fix-strip_prefix = Remove `module.` from the keys
fix-take_entry = Load the entry with the state dict

finding-dimension_range-title = A dimension out of range
finding-dimension_range =
    { error-shape } `{ $function }` on line { NUMBER($line, useGrouping: 0) } asks for dimension { $dimension }, but a tensor with { $dimensions ->
        [one] 1 dimension
       *[other] { $dimensions } dimensions
    } has only dimensions { $first } to { $last }.{ error-caught }

finding-mask_mismatch-title = The index does not match the shape
finding-mask_mismatch =
    { error-shapes } { $rule ->
        [count] The mask on line { NUMBER($line, useGrouping: 0) } has { $right_size } dimensions, more than the { $left_size } that it selects from.
        [shape] A mask must have the sizes of the dimensions that it selects from. On line { NUMBER($line, useGrouping: 0) }, dimension { $at } of the mask has size { NUMBER($right_size, useGrouping: 0) }, not { NUMBER($left_size, useGrouping: 0) }.
        [written] The mask selects elements of shape `{ $wanted }`, and what line { NUMBER($line, useGrouping: 0) } assigns to them does not broadcast to that shape.
       *[indexed] The index selects elements of shape `{ $wanted }`, and what line { NUMBER($line, useGrouping: 0) } assigns to them does not broadcast to that shape.
    }{ error-caught }

finding-size_arguments-title = These numbers do not match the shape
finding-size_arguments =
    { error-shape } { $rule ->
        [permute] `permute({ $written })` on line { NUMBER($line, useGrouping: 0) } must name each of the { $there } dimensions once, but it names { $asked }.
        [each] `permute({ $written })` on line { NUMBER($line, useGrouping: 0) } must name every dimension once, from 0 on.
        [repeat] `repeat({ $written })` on line { NUMBER($line, useGrouping: 0) } needs at least one number for each of the { $there } dimensions, but has { $asked }.
        [split] The sizes `{ $written }` on line { NUMBER($line, useGrouping: 0) } add up to { NUMBER($asked, useGrouping: 0) }, but dimension { $at } has size { NUMBER($there, useGrouping: 0) }.
        [topk] `{ $function }` on line { NUMBER($line, useGrouping: 0) } asks for { NUMBER($asked, useGrouping: 0) } elements of dimension { $at }, which has { NUMBER($there, useGrouping: 0) }.
        [interpolate] `interpolate` on line { NUMBER($line, useGrouping: 0) } with mode `{ $written }` expects an input of { $asked } dimensions (batch, channels, then sizes), not { $there }.
        [rows] Line { NUMBER($line, useGrouping: 0) } unpacks it along dimension 0, which has size { NUMBER($there, useGrouping: 0) }, into { $asked } variables: `{ $written }`.
       *[shape] Line { NUMBER($line, useGrouping: 0) } unpacks its { $there ->
            [one] 1 size
           *[other] { $there } sizes
        } into { $asked } variables: `{ $written }`.
    }{ error-caught }

finding-kernel_size-title = The kernel is larger than the input
finding-kernel_size = { error-shape } `{ $function }`{ $kind_of_layer ->
        [none] {""}
       *[other] {" "}(`{ $kind_of_layer }`)
    } on line { NUMBER($line, useGrouping: 0) } has a kernel of { $kernel }, and its input, with padding, is only { $sizes }. Use a larger input, a smaller kernel, or padding.{ error-caught }

finding-collate_mismatch-title = Items of a batch have different shapes
finding-collate_mismatch =
    { error-shapes } They are items 0 and { $number } of the batch that the `DataLoader` on line { NUMBER($line, useGrouping: 0) } puts together. It stacks { $several ->
        [yes] element { $at } of each,
       *[no] them,
    } so all shapes must be the same. Pad them in a `collate_fn`, for instance with `torch.nn.utils.rnn.pad_sequence`.{ error-caught }

finding-vmap_refused-title = `vmap` does not support this
finding-vmap_refused =
    { $rule ->
        [truth] Line { NUMBER($line, useGrouping: 0) } branches on `{ $text }`, but `vmap` runs the function once for all samples, and the result may differ between them. `torch.where` selects for each sample.
        [number] `{ $text }` on line { NUMBER($line, useGrouping: 0) } converts a tensor to a Python number, but `vmap` runs the function once for all samples, so there is no single number. Keep the tensor.
       *[random] `{ $text }` on line { NUMBER($line, useGrouping: 0) } generates random numbers. Pass `randomness="different"` to `vmap` if each sample gets its own, or `randomness="same"` if all get the same.
    }{ error-caught }

finding-not_divisible-title = One size is not divisible by the other
finding-not_divisible = `{ $layer }` on line { NUMBER($line, useGrouping: 0) } divides `{ $whole }` ({ NUMBER($whole_size, useGrouping: 0) }) by `{ $by }` ({ NUMBER($by_size, useGrouping: 0) }), so the first must be a multiple of the second.{ error-caught }

finding-attention_mask-title = The mask has the wrong shape
finding-attention_mask =
    { error-shapes } { $rule ->
        [padding] The padding mask of `{ $function }` on line { NUMBER($line, useGrouping: 0) } needs one entry for each position of each sequence in the batch: shape `{ $wanted }`.
       *[positions] The attention mask of `{ $function }` on line { NUMBER($line, useGrouping: 0) } needs one row for each query position and one column for each key position: shape `{ $wanted }`.
    }{ error-caught }

finding-not_joined-title = There is nothing to join
finding-not_joined =
    { $rule ->
        [empty] `{ $name }`{ $made_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($made_line, useGrouping: 0) })
        } is empty, but `{ $function }` on line { NUMBER($line, useGrouping: 0) } needs at least one tensor.
       *[scalars] `{ $function }` on line { NUMBER($line, useGrouping: 0) } joins along a dimension, but the tensors in `{ $name }` have none. `torch.stack` adds one.
    }{ error-caught }

finding-attribute_called-title =
    { $rule ->
        [called] An attribute cannot be called
       *[indexed] A method must be called
    }
finding-attribute_called =
    { $rule ->
        [called] `{ $name }` of `{ $left }` is an attribute, not a method: line { NUMBER($line, useGrouping: 0) } cannot call it.
       *[indexed] `{ $name }` of `{ $left }` is a method: line { NUMBER($line, useGrouping: 0) } cannot index it. `.shape[...]` gives a size.
    }{ error-caught }
fix-use_attribute = Use the tensor's attribute
