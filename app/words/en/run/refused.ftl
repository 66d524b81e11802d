### Findings about calls that torch's Python code refuses: wrong arguments, unknown names, wrong types, values out of range.

finding-call_arguments-title = The arguments do not match the function
finding-call_arguments =
    { $how ->
        [constructor] `{ $function }` on line { NUMBER($line, useGrouping: 0) } gets arguments, but its class (line { NUMBER($defined_line, useGrouping: 0) }) has no `__init__`: line { NUMBER($written_line, useGrouping: 0) } spells it `{ $written }`, so Python never calls it.
        [class] `{ $function }(…)` on line { NUMBER($line, useGrouping: 0) } creates a module: its arguments are those of `__init__`. To run it on a tensor, create the module first and call that: `{ $function }()(…)`.
        [plateau] `{ $function }` needs `metrics`, and line { NUMBER($line, useGrouping: 0) } does not pass it. It compares this value from epoch to epoch: pass the validation loss, for instance.
        [closure] `{ $function }` needs `closure`, and line { NUMBER($line, useGrouping: 0) } does not pass it. It evaluates the loss several times per step: pass a function that calls `zero_grad()`, computes the loss, calls `backward()` and returns the loss.
        [attention] `{ $function }` needs `{ $name }`, and line { NUMBER($line, useGrouping: 0) } does not pass it. For self-attention, pass the same tensor as query, key and value.
        [device] `{ $function }` needs `device_type`, and line { NUMBER($line, useGrouping: 0) } does not pass it. It is the type of the device on which the operations run: `"cpu"` or `"cuda"`.
        [norm] `{ $function }` needs `max_norm`, and line { NUMBER($line, useGrouping: 0) } does not pass it: the maximum total norm of the gradients, for instance 1.0.
        [steps] `{ $function }` needs `{ $name }`, and line { NUMBER($line, useGrouping: 0) } does not pass it.
       *[plain] { $rule ->
            [missing] `{ $function }`{ $defined_line ->
                    [0] {""}
                   *[other] {" "}(line { NUMBER($defined_line, useGrouping: 0) })
                } needs `{ $name }`, and line { NUMBER($line, useGrouping: 0) } does not pass it. Its parameters are: { $names }.
            [unknown] Line { NUMBER($line, useGrouping: 0) } gives `{ $function }`{ $defined_line ->
                    [0] {""}
                   *[other] {" "}(line { NUMBER($defined_line, useGrouping: 0) })
                } an argument `{ $name }`, which it does not have. { $similar ->
                [none] Its parameters are: { $names }.
               *[other] Its name is `{ $similar }`.
            }
            [twice] Line { NUMBER($line, useGrouping: 0) } gives `{ $function }`{ $defined_line ->
                    [0] {""}
                   *[other] {" "}(line { NUMBER($defined_line, useGrouping: 0) })
                } the argument `{ $name }` twice: by position and by name.
           *[many] Line { NUMBER($line, useGrouping: 0) } gives `{ $function }`{ $defined_line ->
                    [0] {""}
                   *[other] {" "}(line { NUMBER($defined_line, useGrouping: 0) })
                } more positional arguments ({ $given }) than it accepts ({ $taken }). Its parameters are: { $names }.
        }
    }{ error-caught }
fix-spell_constructor = Rename the constructor `__init__`
fix-call_an_object = Create the module, then call it
fix-give_device = Pass the device: `"cpu"`
fix-attend_to_itself = Pass the tensor as query, key and value
fix-name_argument = Use the argument's name

finding-no_attribute-title = There is no such name
finding-no_attribute =
    { $how ->
        [iterator] `{ $owner }` is an iterator, and iterators have no method `next`. Line { NUMBER($line, useGrouping: 0) } should call `next({ $owner })`.
        [loaded] `{ $owner }` is not a module: `load_state_dict` loads into the module that it is called on, and returns only which keys did not match. Do not assign its result.
        [constructor] `{ $owner }` (a `{ $type }`) has no `{ $name }` on line { NUMBER($line, useGrouping: 0) }. Line { NUMBER($set_line, useGrouping: 0) } would set it, in `{ $similar }`, but Python only calls `__init__`.
        [later] `{ $owner }` (a `{ $type }`) has no `{ $name }` on line { NUMBER($line, useGrouping: 0) }: line { NUMBER($set_line, useGrouping: 0) } in `{ $similar }` sets it, and has not run for this object.
        [elsewhere] `{ $owner }` has no `{ $name }` (line { NUMBER($line, useGrouping: 0) }). There is `{ $similar }`.
       *[plain] { $rule ->
            [module] `{ $owner }` has no `{ $name }` (line { NUMBER($line, useGrouping: 0) }).
           *[object] `{ $owner }` is a `{ $type }` without an attribute `{ $name }` (line { NUMBER($line, useGrouping: 0) }).
        }
        [similar] { $rule ->
            [module] `{ $owner }` has no `{ $name }` (line { NUMBER($line, useGrouping: 0) }), but it has `{ $similar }`.
           *[object] `{ $owner }` is a `{ $type }` without an attribute `{ $name }` (line { NUMBER($line, useGrouping: 0) }). It has `{ $similar }`.
        }
    }{ error-caught }
fix-spell_name = Use the name that exists
fix-take_next = Use `next(...)`

finding-not_callable-title = This is not a function
finding-not_callable =
    { $rule ->
        [comma] Line { NUMBER($made_line, useGrouping: 0) } ends with a comma, so `{ $name }` is a tuple with one item, not that item. Line { NUMBER($line, useGrouping: 0) } cannot call a tuple.
        [loaded] `{ $name }`{ $made_line ->
                    [0] {""}
                   *[other] {" "}(line { NUMBER($made_line, useGrouping: 0) })
                } is not a module: `load_state_dict` loads into the module that it is called on, and returns only which keys did not match. Do not assign its result.
        [builtin] `{ $name }` is a function of Python, but line { NUMBER($made_line, useGrouping: 0) } gives this name another value (`{ $type }`), so line { NUMBER($line, useGrouping: 0) } cannot call it. Use another name for the value.
        [shadowed] `{ $name }` could be called before, but line { NUMBER($made_line, useGrouping: 0) } gives this name another value (`{ $type }`), so line { NUMBER($line, useGrouping: 0) } cannot call it. Use another name for the value.
       *[other] `{ $name }`{ $made_line ->
                    [0] {""}
                   *[other] {" "}(line { NUMBER($made_line, useGrouping: 0) })
                } is a `{ $type }`, not a function or a module, so line { NUMBER($line, useGrouping: 0) } cannot call it.
    }{ error-caught }
fix-drop_comma = Remove the comma
fix-load_in_place = Do not assign the result

finding-no_module-title = This is not a module
finding-no_module =
    { $rule ->
        [class] `{ $name }` on line { NUMBER($line, useGrouping: 0) } is a class, and `{ $container }` takes modules. Create one: `{ $name }()`, with its arguments.
        [tensor] `{ $name }` on line { NUMBER($line, useGrouping: 0) } is a tensor, and `{ $container }` takes modules.
        [lambda] `{ $name }` on line { NUMBER($line, useGrouping: 0) } is a function, and `{ $container }` takes modules. Write a class with a `forward`.
       *[function] `{ $name }` on line { NUMBER($line, useGrouping: 0) } is a function, and `{ $container }` takes modules. { $module ->
            [none] Call it in `forward` instead.
           *[other] The module that does the same is `nn.{ $module }()`.
        }
    }{ error-caught }
fix-make_module = Create the module: add `()`
fix-use_module = Use the module

finding-module_name-title = A name that a module cannot use
finding-module_name =
    { $rule ->
        [dot] The name { $name } on line { NUMBER($line, useGrouping: 0) } contains a dot. Dots separate the levels of a path such as `layer.weight`, so a name must not contain one.
        [number] The name { $name } on line { NUMBER($line, useGrouping: 0) } is a number, and names of modules must be strings. For numbered modules, use `nn.ModuleList`.
        [empty] The name on line { NUMBER($line, useGrouping: 0) } is empty.
       *[taken] { $set_line ->
            [0] The name { $name } on line { NUMBER($line, useGrouping: 0) } is also the name of an attribute or a method that every module has. Choose another name.
           *[other] The name { $name } on line { NUMBER($line, useGrouping: 0) } is already taken: line { NUMBER($set_line, useGrouping: 0) } sets an attribute of that name. Choose another name, or do not set the attribute.
        }
    }{ error-caught }
fix-without_dot = Replace the dot in the name with `_`
fix-as_text = Write the name as a string

finding-method_not_called-title = A method without its parentheses
finding-method_not_called = `{ $method }` on line { NUMBER($line, useGrouping: 0) } is a method, not its result: the parentheses are missing. Write `{ $method }()`.{ error-caught }
fix-add_parentheses = Add the parentheses

finding-loader_refused-title = The data loader cannot use this
finding-loader_refused =
    { $rule ->
        [iterator] `{ $name }` is a `DataLoader`, not an iterator, so `next` on line { NUMBER($line, useGrouping: 0) } cannot take an element from it. `next(iter({ $name }))` gives the first batch.
        [indexed] `{ $name }` is a `DataLoader`, and line { NUMBER($line, useGrouping: 0) } cannot index it: it only returns its batches one after another. `next(iter({ $name }))` gives the first batch; `{ $name }.dataset[i]` gives one item.
        [unpacked] Line { NUMBER($line, useGrouping: 0) } unpacks each batch into `{ $right }`, but the dataset of `{ $name }` is the single tensor `{ $left }`, so a batch is one tensor. Put inputs and targets together: `TensorDataset(inputs, targets)`.
        [sizes] All tensors of a `TensorDataset` need the same size in dimension 0, one entry for each example. On line { NUMBER($line, useGrouping: 0) }, `{ $left }` has { NUMBER($wanted, useGrouping: 0) } and `{ $right }` has { NUMBER($size, useGrouping: 0) }.
        [lengths] The lengths `{ $right }` on line { NUMBER($line, useGrouping: 0) } add up to { NUMBER($size, useGrouping: 0) }, but `{ $name }` has { NUMBER($wanted, useGrouping: 0) } items. They must add up to exactly that.
        [beyond] Line { NUMBER($line, useGrouping: 0) } asks for an item that does not exist: `{ $name }` has { NUMBER($size, useGrouping: 0) } items, but `__len__` of `{ $type }` (line { NUMBER($at_line, useGrouping: 0) }) returns a larger number. A `DataLoader` asks for every index below that number.
        [empty] `{ $name }` is empty: line { NUMBER($line, useGrouping: 0) } needs at least one item. Check what fills it.
        [length] `{ $type }` (line { NUMBER($at_line, useGrouping: 0) }) has no `__len__`, and line { NUMBER($line, useGrouping: 0) } asks `{ $name }` how many items it has. { $left ->
            [none] Define `__len__`, which returns that number.
           *[other] Its method `{ $left }` must be called `__len__`.
        }
       *[none] `{ $name }` (line { NUMBER($at_line, useGrouping: 0) }) returned None for an item, and the `DataLoader` on line { NUMBER($line, useGrouping: 0) } cannot put None into a batch. Each item needs a `return`.
    }{ error-caught }
fix-make_iterator = Make an iterator first: `iter(...)`
fix-fit_lengths = Set the last length so that the sum is right
fix-count_items = Return the number of items from `__len__`

finding-wrong_argument-title = An argument of the wrong kind
finding-wrong_argument =
    { $rule ->
        [float] `{ $name }` of `{ $function }` must be an integer, and `{ $written }` on line { NUMBER($line, useGrouping: 0) } is a float. Division with `/` always gives a float; `//` gives an integer.
        [unit] `{ $name }` of `{ $function }` is a probability between 0 and 1, and line { NUMBER($line, useGrouping: 0) } gives { $type }.{ $wanted ->
            [none] {""}
           *[other] {" "}{ $type } percent is { $wanted }.
        }
        [negative] `{ $name }` of `{ $function }` must not be negative, and line { NUMBER($line, useGrouping: 0) } gives { $type }.
        [positive] `{ $name }` of `{ $function }` must be greater than 0, and line { NUMBER($line, useGrouping: 0) } gives { $type }.
       *[kind] `{ $name }` of `{ $function }` must be { $wanted ->
            [optimizer] an optimizer
            [dict] a dict, such as another module's `state_dict()` or the result of `torch.load`
            [tensor] a tensor, such as the `weight` of a layer
            [parameter] Parameters or groups of them
            [function] a function that computes the loss and returns it
            [number] a number
           *[int] an integer
        }, and `{ $written }` on line { NUMBER($line, useGrouping: 0) } is a `{ $type }`.
    }{ error-caught }
fix-divide_to_integer = Divide with `//`
fix-write_integer = Write an integer
fix-other_number = Write the number that was probably intended
fix-give_weight = Pass the module's `weight`
fix-give_state = Pass the module's `state_dict()`

finding-out_of_domain-title = A value out of range
finding-out_of_domain =
    { $rule ->
        [nan] `{ $left }` is `{ $name }` of `{ $function }` on line { NUMBER($line, useGrouping: 0) }, and one of its values is NaN. This NaN comes from an earlier computation: look for a division by zero, a logarithm of zero, or weights that became too large.
        [unit] `{ $left }` is `{ $name }` of `{ $function }` on line { NUMBER($line, useGrouping: 0) } and must be between 0 and 1, but one of its values is { $value }. { $function ->
            [BCELoss] If these are raw outputs of a layer (logits), use `BCEWithLogitsLoss`, or `sigmoid` first.
            [binary_cross_entropy] If these are raw outputs of a layer (logits), use `binary_cross_entropy_with_logits`, or `sigmoid` first.
           *[other] Pass raw outputs of a layer as `logits=`, or apply `sigmoid` to them.
        }
        [positive] `{ $left }` is `{ $name }` of `{ $function }` on line { NUMBER($line, useGrouping: 0) } and must be greater than 0, but one of its values is { $value }. `softplus` or `exp` makes the outputs of a layer positive.
        [not_negative] `{ $left }` is `{ $name }` of `{ $function }` on line { NUMBER($line, useGrouping: 0) } and must not be negative, but one of its values is { $value }. { $function ->
            [Categorical] Pass raw outputs of a layer as `logits=`.
           *[other] `softplus` or `exp` makes the outputs of a layer positive.
        }
       *[category] `{ $left }` on line { NUMBER($line, useGrouping: 0) } contains { $value }, but this `{ $function }` has only the categories 0 to { NUMBER($last, useGrouping: 0) }.
    }{ error-caught }
fix-use_logits = Use the loss that takes logits

finding-wrong_shape-title = This shape is not accepted
finding-wrong_shape =
    { $rule ->
        [fan] { error-shape } `{ $function }` on line { NUMBER($line, useGrouping: 0) } computes its bounds from rows and columns, so it needs at least { $wanted } dimensions, not { $size }. For a bias, use `nn.init.zeros_`.
        [dimensions] { error-shape } `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes an input of { $wanted } dimensions, or { $less } without a batch, not { $size }.
        [pair] { error-shape } `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes its state as a tuple of two tensors, the hidden state and the cell state, and `{ $left }` is one tensor.
        [one] `{ $function }` on line { NUMBER($line, useGrouping: 0) } has no cell state: it takes one tensor as its state, and `{ $text }` is a tuple.
        [lengths] { error-shape } `{ $text }` on line { NUMBER($line, useGrouping: 0) } has { $size } lengths for { $wanted } sequences; there must be one for each.
        [no_length] Entry { $at } of `{ $text }` on line { NUMBER($line, useGrouping: 0) } is not greater than 0. Every sequence that is packed must have at least one element.
        [too_long] { error-shape } A length in `{ $text }` on line { NUMBER($line, useGrouping: 0) } is { $size }, but the padded sequences have only { $wanted } steps. For a batch in dimension 0, pass `batch_first=True`.
        [features] { error-shape } `{ $function }` on line { NUMBER($line, useGrouping: 0) } was made for `d_model` = { NUMBER($wanted, useGrouping: 0) } features in the last dimension, and its input has { NUMBER($size, useGrouping: 0) }.
        [padded] { error-shape } `{ $function }` on line { NUMBER($line, useGrouping: 0) } only pads dimension 0, so all others must be the same, but `{ $text }` has shape `{ $wanted_shape }`.
       *[unsorted] The lengths `{ $text }` on line { NUMBER($line, useGrouping: 0) } are not in descending order. Pass `enforce_sorted=False`, and `{ $function }` sorts the sequences itself.
    }{ error-caught }
fix-pair_of_states = Pass a cell state of zeros as well
fix-one_state = Pass only the first of the two states
fix-not_sorted = Pass `enforce_sorted=False`

finding-weight_mismatch-title = The weights of the loss have the wrong shape
finding-weight_mismatch =
    { error-shapes } { $rule ->
        [weight] `{ $text }` of `{ $function }` needs one value for each class. On line { NUMBER($line, useGrouping: 0) } there are { NUMBER($wanted, useGrouping: 0) } classes and { NUMBER($size, useGrouping: 0) } values.
       *[pos_weight] `{ $text }` of `{ $function }` must broadcast to the shape of its input, `{ $wanted_shape }`: one value for each label in the last dimension. On line { NUMBER($line, useGrouping: 0) } there are { NUMBER($wanted, useGrouping: 0) } labels and { NUMBER($size, useGrouping: 0) } values.
    }{ error-caught }

finding-hook_refused-title = This hook cannot run
finding-hook_refused =
    `{ $name }` (line { NUMBER($hook_line, useGrouping: 0) }) takes { $taken ->
            [one] 1 argument
           *[other] { $taken } arguments
        }, but a hook of `{ $method }` is called with { $expected }: { $given }. So line { NUMBER($line, useGrouping: 0) } raises when it runs the hook.{ error-caught }
fix-take_inputs = Add the parameter `inputs` to the hook

finding-parameter_groups-title = These Parameters cannot be combined like this
finding-parameter_groups =
    { $rule ->
        [added] `{ $name }` on line { NUMBER($line, useGrouping: 0) } is an iterator, not a list, and cannot be added to `{ $other }`. Make lists of both: `list(...) + list(...)`.
        [iterator] `{ $name }` on line { NUMBER($line, useGrouping: 0) } is an iterator, not a list: it has no length and cannot be indexed, only iterated over. `list({ $name })` makes a list.
       *[twice] `{ $name }` is in two groups of the optimizer on line { NUMBER($line, useGrouping: 0) }: `{ $function }` and `{ $other }`. Each Parameter may be in one group only: remove the shared Parameters from one of the two groups.
    }{ error-caught }
fix-list_both = Convert both generators to lists
fix-list_them = Convert the generator to a list: `list(…)`

finding-file_at_end-title = The buffer is read from its end
finding-file_at_end = Line { NUMBER($write_line, useGrouping: 0) } writes to `{ $name }` and leaves its position at the end, so `torch.load` on line { NUMBER($line, useGrouping: 0) } finds nothing to read. Call `{ $name }.seek(0)` first.{ error-caught }
fix-seek_beginning = Go back to the beginning: `seek(0)`

finding-no_item-title = There is no such item
finding-no_item =
    { $rule ->
        [index] `{ $name }` has { $there } modules, counted from 0, so there is no item { $asked } (line { NUMBER($line, useGrouping: 0) }).
        [key] `{ $name }` has no key `{ $asked }` (line { NUMBER($line, useGrouping: 0) }). Its keys are: { $there }.
       *[plain] `{ $name }` is a `{ $type }`, which cannot be indexed (line { NUMBER($line, useGrouping: 0) }). Index the attribute that holds its layers.
    }{ error-caught }
fix-use_key = Use the key that exists
