# Findings about custom Functions, and about inputs that operators, autograd and torch.func refuse.

finding-custom_function-title = A custom Function that autograd cannot use this way
finding-custom_function =
    { $rule ->
        [constructed] `{ $text }` on line { NUMBER($cause_line, useGrouping: 0) } creates an object of the class `{ $class }` and computes nothing. `{ $class }.apply(…)` computes the result and records the graph.
        [object] Line { NUMBER($cause_line, useGrouping: 0) } creates an object of the class `{ $class }`, and line { NUMBER($line, useGrouping: 0) } calls it as `{ $text }`. Such an object cannot be called. Use `{ $class }.apply`, which computes the result and records the graph.
        [missing] The class `{ $class }` has no method `{ $text }`, which line { NUMBER($line, useGrouping: 0) } needs.{ $name ->
            [none] {""}
           *[other] {" "}Line { NUMBER($cause_line, useGrouping: 0) } defines `{ $name }` instead.
        }
        [direct] `{ $text }` on line { NUMBER($line, useGrouping: 0) } calls `forward` itself, without `ctx`. `{ $class }.apply` passes `ctx` and records the graph.
        [no_context] `apply` passes `ctx` before the arguments of line { NUMBER($line, useGrouping: 0) }. `forward` on line { NUMBER($cause_line, useGrouping: 0) } takes only `{ $names }`, so it needs `ctx` as its first parameter.
        [both_contexts] `{ $class }` has a `setup_context`, so `apply` does not pass `ctx` to `forward`. `forward` on line { NUMBER($cause_line, useGrouping: 0) } takes `{ $names }`.
        [arguments] `{ $text }` on line { NUMBER($line, useGrouping: 0) } is given { $given ->
            [one] one argument
           *[other] { NUMBER($given, useGrouping: 0) } arguments
        }, but `forward` on line { NUMBER($cause_line, useGrouping: 0) } takes `{ $names }`.
        [saved] `save_for_backward` on line { NUMBER($cause_line, useGrouping: 0) } takes only tensors, but `{ $text }` has type `{ $name }`. Keep it as an attribute of `ctx` instead.
        [setup] Line { NUMBER($line, useGrouping: 0) } runs `{ $class }` under `torch.func`. This requires a `setup_context(ctx, inputs, output)`, which saves what `backward` needs, and a `forward` without `ctx`. `{ $class }` has no `setup_context`; its `forward` is on line { NUMBER($cause_line, useGrouping: 0) }.
        [spelled] Line { NUMBER($line, useGrouping: 0) } reads `{ $text }`, which is never set. The attribute is called `{ $name }`.
        [unset] Line { NUMBER($line, useGrouping: 0) } reads `{ $text }`, but no line of `{ $class }` sets it.{ $name ->
            [none] {""}
           *[other] {" "}`forward` on line { NUMBER($cause_line, useGrouping: 0) } gets `{ $name }` and can store it on `ctx`.
        }
        [unpacked] `save_for_backward` on line { NUMBER($cause_line, useGrouping: 0) } saves { $given ->
            [one] one tensor
           *[other] { NUMBER($given, useGrouping: 0) } tensors
        } (`{ $names }`), but line { NUMBER($line, useGrouping: 0) } unpacks `saved_tensors` into { $taken ->
            [one] one variable
           *[other] { NUMBER($taken, useGrouping: 0) } variables
        } (`{ $text }`).
        [tuple] `{ $name }.saved_tensors` is a tuple, even if only one tensor was saved, so `{ $text }` on line { NUMBER($line, useGrouping: 0) } is not a tensor. `x, = { $name }.saved_tensors` unpacks it.
        [needs] `needs_input_grad` has one entry for each argument of `forward` except `ctx`: `{ $names }` (line { NUMBER($cause_line, useGrouping: 0) }). Line { NUMBER($line, useGrouping: 0) } reads `{ $text }`, but indices start at 0.
        [gradients] `forward` of `{ $class }` returned { $given ->
            [one] one tensor, so autograd calls `backward` with `ctx` and one gradient
           *[other] { NUMBER($given, useGrouping: 0) } tensors, so autograd calls `backward` with `ctx` and { NUMBER($given, useGrouping: 0) } gradients
        }. `backward` on line { NUMBER($cause_line, useGrouping: 0) } takes `{ $text }`.
        [number] `backward` of `{ $class }` returns `{ $text }` on line { NUMBER($cause_line, useGrouping: 0) }. A gradient must be a tensor or None, so line { NUMBER($line, useGrouping: 0) } raises an error.
       *[once] `backward` of `{ $class }` is marked `@once_differentiable` (line { NUMBER($cause_line, useGrouping: 0) }), so its gradient cannot be differentiated again, as line { NUMBER($line, useGrouping: 0) } tries to do. Without the decorator, autograd records the operators of `backward`.
    }{ error-caught }

fix-call_apply = Use `{ $class }.apply`
fix-spell_method = Rename the method `{ $text }`
fix-spell_attribute = Write `{ $name }`
fix-take_context = Take `ctx` as the first parameter
fix-forward_without_context = Remove the parameter `ctx`
fix-keep_on_ctx = Keep the value as an attribute of `ctx`
fix-save_also = Save the other tensors as well
fix-unpack_saved = Unpack the tuple of saved tensors
fix-index_saved = Take the first saved tensor: `[0]`
fix-drop_once = Remove `@once_differentiable`

finding-no_such_attribute-title = There is no such attribute
finding-no_such_attribute =
    { $rule ->
        [module] `{ $owner }` has no `{ $name }`, so line { NUMBER($line, useGrouping: 0) } raises an error.
       *[tensor] `{ $owner }` is a tensor, and tensors have no `{ $name }`, so line { NUMBER($line, useGrouping: 0) } raises an error.
    }{ $instead ->
        [none] {""}
       *[other] { $how ->
            [numpy] {" "}PyTorch's counterpart is `{ $instead }`.
           *[likely] {" "}`{ $instead }` is spelled similarly.
        }
    }{ error-caught }

fix-use_instead = Use `{ $instead }`

finding-gradient_given-title = This gradient does not match
finding-gradient_given =
    { $rule ->
        [flag] Line { NUMBER($line, useGrouping: 0) } passes `{ $right }` as the gradient of `{ $left }`: the first argument of `backward` is the gradient. Pass `retain_graph` by its name.
        [number] Line { NUMBER($line, useGrouping: 0) } passes `{ $right }`, a Python number, as the gradient of `{ $left }`. A gradient must be a tensor with the shape of `{ $left }`, `{ $left_shape }`.
        [assigned_number] Line { NUMBER($line, useGrouping: 0) } sets `.grad` of `{ $left }` to `{ $right }`. `.grad` must be None or a tensor of the same shape and dtype, `{ $left_shape }` and `{ $left_dtype }`.
        [assigned_dtype] { error-dtypes } Line { NUMBER($line, useGrouping: 0) } sets `.grad` of `{ $left }` to `{ $right }`; both must have the same dtype.
        [assigned_shape] { error-shapes } Line { NUMBER($line, useGrouping: 0) } sets `.grad` of `{ $left }` to `{ $right }`; both must have the same shape.
       *[shape] { error-shapes } Line { NUMBER($line, useGrouping: 0) } passes `{ $right }` as the gradient of `{ $left }`; both must have the same shape.
    }{ error-caught }

fix-wrap_number = Create a tensor from the number
fix-drop_gradient = Do not pass a gradient: for a scalar it is 1
fix-like_root = Create the gradient with the right shape: `torch.ones_like(…)`
fix-clear_gradient = Set the gradient to None
fix-as_dtype = Convert the gradient to the tensor's dtype

finding-tensor_data-title = This cannot be converted to a tensor
finding-tensor_data =
    { $rule ->
        [words] `{ $text }`{ $data_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($data_line, useGrouping: 0) })
        } contains the string `{ $item }`. A tensor holds numbers only, so `{ $function }` on line { NUMBER($line, useGrouping: 0) } raises an error. Assign a number to each string first.
        [nothing] `{ $text }` on line { NUMBER($line, useGrouping: 0) } contains None{ $data_line ->
            [0] {""}
           *[other] {" "}(from line { NUMBER($data_line, useGrouping: 0) })
        }. A tensor holds numbers only; replace None with a number such as `float('nan')`.
        [ragged] `{ $text }`{ $data_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($data_line, useGrouping: 0) })
        } has rows of different lengths: row 0 has length { NUMBER($first, useGrouping: 0) }, row { NUMBER($row, useGrouping: 0) } has length { NUMBER($size, useGrouping: 0) }. All rows of a tensor must have the same length, so line { NUMBER($line, useGrouping: 0) } raises an error. `torch.nn.utils.rnn.pad_sequence` pads a list of tensors.
        [objects] The array `{ $text }`{ $data_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($data_line, useGrouping: 0) })
        } has dtype `{ $item }`, which no tensor has. `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes arrays of numbers or booleans: select these columns and convert them with `.astype(…)`.
       *[strides] The array `{ $text }`{ $data_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($data_line, useGrouping: 0) })
        } is a view that reads its memory backwards. Tensors cannot have negative strides, so `{ $function }` on line { NUMBER($line, useGrouping: 0) } raises an error. `.copy()` returns an array with its elements in order.
    }{ error-caught }

fix-copy_array = Copy the array first: `.copy()`

finding-refused_call-title = This argument is not accepted
finding-refused_call =
    { $rule ->
        [not_called] `with` on line { NUMBER($line, useGrouping: 0) } needs a context manager, but `{ $text }` is a class. `{ $text }()` creates one.
        [backwards] `{ $text }` on line { NUMBER($line, useGrouping: 0) } steps backwards, but slices of a tensor need a positive step. `.flip(…)` reverses a dimension.
        [one_number] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `()`: it is one number. Line { NUMBER($line, useGrouping: 0) } needs a tensor with at least one dimension.
        [range_of_size] `{ $text }` is a `torch.Size`, but `range` on line { NUMBER($line, useGrouping: 0) } expects one integer, such as `{ $text }[0]`.
        [dtype] The dtype on line { NUMBER($line, useGrouping: 0) } is `{ $text }`, but PyTorch accepts only its own dtypes{ $item ->
            [none] .
           *[other] : `torch.{ $item }`.
        }
        [size_number] The size on line { NUMBER($line, useGrouping: 0) } is the number `{ $text }`, but `randint` expects a tuple: `({ $text },)`.
        [size_missing] `randint` on line { NUMBER($line, useGrouping: 0) } needs the size of the result as a tuple after its bounds.
        [float_size] `{ $text }`{ $cause_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($cause_line, useGrouping: 0) })
        } is a float{ $item ->
            [none] {""}
           *[other] {" "}({ $item })
        }, but `{ $name }` on line { NUMBER($line, useGrouping: 0) } expects integers as sizes.{ $taken ->
            [0] {""}
           *[other] {" "}`/` returns a float even if the result is whole; `//` returns an integer.
        }
        [not_square] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `{ $left_shape }`. `{ $name }` on line { NUMBER($line, useGrouping: 0) } expects square matrices: the last two sizes must be equal.
        [singular] The matrix `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } is singular, so it has no inverse and `{ $name }` on line { NUMBER($line, useGrouping: 0) } raises an error. `torch.linalg.lstsq` and `torch.linalg.pinv` also accept singular matrices.
        [not_definite] The matrix `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } is not positive definite, which `cholesky` on line { NUMBER($line, useGrouping: 0) } needs. If rounding is the cause, add a small multiple of the identity matrix.
        [empty] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `{ $left_shape }`, so it has no elements; `{ $name }` on line { NUMBER($line, useGrouping: 0) } needs at least one.
        [probabilities] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } contains { $item }. `{ $name }` on line { NUMBER($line, useGrouping: 0) } expects probabilities. `{ $text }` converts scores to probabilities.
        [fill] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `{ $left_shape }`. `{ $name }` on line { NUMBER($line, useGrouping: 0) } writes one value, so it expects a number or a tensor of shape `()`.
        [no_gradient] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } does not require grad, so no gradient reaches it and `{ $name }` on line { NUMBER($line, useGrouping: 0) } raises an error.
        [complex_loss] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has dtype `{ $left_dtype }`. The backward on line { NUMBER($line, useGrouping: 0) } must start from a real number; make the loss real, for example with `.abs()`.
        [hook_arguments] The hook `{ $text }` (line { NUMBER($cause_line, useGrouping: 0) }) takes { $taken ->
            [0] no argument
            [one] one argument
           *[other] { NUMBER($taken, useGrouping: 0) } arguments
        }{ $taken ->
            [0] {""}
           *[other] {" "}(`{ $name }`)
        }. Autograd calls the hook of a tensor with one argument, the gradient, so line { NUMBER($line, useGrouping: 0) } raises an error.
       *[uncoalesced] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } is a sparse tensor that may hold an index more than once. `{ $name }` on line { NUMBER($line, useGrouping: 0) } needs it coalesced: `.coalesce()` adds up the values with the same index.
    }{ error-caught }

fix-call_it = Add the parentheses: `()`
fix-flip_instead = Use `.flip(…)`
fix-first_size = Take the first size: `[0]`
fix-torch_dtype = Use PyTorch's dtype
fix-size_as_tuple = Pass the size as a tuple
fix-divide_whole = Divide with `//`
fix-coalesce_first = Coalesce the tensor first
fix-as_probabilities = Convert the values to probabilities: `.{ $text }(…)`
fix-fill_with_one = Remove the dimension of the fill value: `.squeeze()`

finding-func_refused-title = `torch.func` refuses this call
finding-func_refused =
    { $rule ->
        [scalar] `{ $text }` returns `{ $left }` of shape `{ $item }` on line { NUMBER($cause_line, useGrouping: 0) }. `{ $name }` on line { NUMBER($line, useGrouping: 0) } differentiates only functions that return one number, a tensor of shape `()`. `torch.func.jacrev` computes all derivatives of a vector; `vmap` of the gradient computes one for each input.
        [sizes] { error-shapes } `{ $text }` on line { NUMBER($line, useGrouping: 0) } maps over the first dimension of both, so their sizes must be equal, but they are { NUMBER($left_size, useGrouping: 0) } and { NUMBER($right_size, useGrouping: 0) }.
        [number] `{ $text }` on line { NUMBER($line, useGrouping: 0) } maps over the first dimension of each argument, but `{ $name }` is not a tensor. `{ $item }` passes it to each call unchanged.
        [no_dimension] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `()`. `{ $text }` on line { NUMBER($line, useGrouping: 0) } maps over the first dimension of each argument, but it has none.
        [tuple] `{ $name }` on line { NUMBER($line, useGrouping: 0) } expects its arguments and their tangents as tuples. `{ $text }` is a tensor; `({ $text },)` is a tuple that contains it.
        [called] The first argument of `{ $name }` on line { NUMBER($line, useGrouping: 0) } must be the function itself. `{ $text }` is its result, a tensor.
        [argument] `{ $name }` on line { NUMBER($line, useGrouping: 0) } differentiates with respect to its first argument, but `{ $text }` is a Python number, not a tensor.
        [integers] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has dtype `{ $left_dtype }`. `{ $name }` on line { NUMBER($line, useGrouping: 0) } differentiates with respect to it, but only floating-point and complex tensors can require grad.
        [in_dim] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `{ $left_shape }`. `{ $text }` on line { NUMBER($line, useGrouping: 0) } maps over dimension { $item }, which it does not have.
       *[names] `{ $text }` (line { NUMBER($cause_line, useGrouping: 0) }) has the name `{ $name }`, but `{ $right }` has no such parameter. `functional_call` on line { NUMBER($line, useGrouping: 0) } expects the names of `named_parameters()`, such as `{ $item }`.
    }{ error-caught }

fix-in_dims = Map over the tensors only: `{ $item }`
fix-as_tuples = Pass tuples
fix-own_names = Keep the names of `named_parameters()`

fix-keep_graph = Name the argument: `retain_graph=…`
fix-pass_function = Pass the function itself
fix-number_as_tensor = Create a tensor from the number

finding-refused_input-title = The operator does not accept this input
finding-refused_input =
    { $rule ->
        [nothing] `{ $text }` is None, and line { NUMBER($line, useGrouping: 0) } needs a tensor or a number.{ $how ->
            [left_out] {" "}Its default is None, and the call on line { NUMBER($cause_line, useGrouping: 0) } leaves it out.
           *[given] { $cause_line ->
                [0] {""}
               *[other] {" "}Line { NUMBER($cause_line, useGrouping: 0) } sets it to None.
            }
        }
        [list] `{ $text }` is a Python { $name }, and line { NUMBER($line, useGrouping: 0) } combines it with the tensor `{ $left }`. `torch.tensor({ $text })` creates a tensor from numbers; `torch.stack` or `torch.cat` joins a list of tensors.
        [power] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has dtype `{ $left_dtype }`. Its power of { $text } on line { NUMBER($line, useGrouping: 0) } is a fraction in general, which an integer dtype cannot hold, so PyTorch refuses it.
        [keyword] `{ $name }` on line { NUMBER($line, useGrouping: 0) } has no argument `{ $text }`. The argument is called `{ $item }`.
        [missing] `{ $name }` on line { NUMBER($line, useGrouping: 0) } also needs the argument `{ $item }`.
        [array] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has dtype `{ $left_dtype }`, which NumPy does not have, so `.numpy()` on line { NUMBER($line, useGrouping: 0) } raises an error. `.float()` converts it to `float32`.
        [device] Line { NUMBER($line, useGrouping: 0) } names the device `{ $text }`. PyTorch calls it `{ $item }`.
        [cross] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `{ $left_shape }`. `{ $name }` on line { NUMBER($line, useGrouping: 0) } computes the cross product of vectors of 3 elements along the last dimension.
       *[dimensions] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has shape `{ $left_shape }`. `{ $name }` on line { NUMBER($line, useGrouping: 0) } takes { $most ->
            [1] vectors: tensors with { $least ->
                [1] exactly 1 dimension
               *[other] at most 1 dimension
            }
            [2] { $least ->
                [2] matrices: tensors with exactly 2 dimensions
               *[other] tensors with at most 2 dimensions
            }
           *[other] tensors with at least { $least ->
                [one] 1 dimension
               *[other] { $least } dimensions
            }
        }.
    }{ error-caught }

fix-spell_keyword = Write `{ $item }`
