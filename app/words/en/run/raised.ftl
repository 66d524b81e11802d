# Findings about what ended a run: dtypes, class indices, modes, and what is given to a function.

# `left` and `right` with their dtypes, as `error-shapes` has their shapes.
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

# `left` with its dtype.
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

fix-convert_dtype = Convert it: add `.{ $method }()`

finding-dtype_refused-title = This dtype is not supported here
finding-dtype_refused =
    { error-dtype } { $rule ->
        [index] Line { NUMBER($line, useGrouping: 0) } uses it as an index; an index tensor must have an integer dtype such as `int64`, or be a boolean mask.
        [embedding] `{ $function }` on line { NUMBER($line, useGrouping: 0) } looks up rows by number, so its input must have dtype `int64` or `int32`.
        [gather] The index of `{ $function }` on line { NUMBER($line, useGrouping: 0) } must have dtype `int64`.
        [one_hot] `one_hot` on line { NUMBER($line, useGrouping: 0) } takes class indices of dtype `int64`.
        [subtract] PyTorch does not subtract booleans, so line { NUMBER($line, useGrouping: 0) } raises. `~` inverts a mask; `.int()` or `.float()` makes numbers of it.
        [negative] PyTorch does not negate booleans, so line { NUMBER($line, useGrouping: 0) } raises. `~` inverts a mask.
        [bits] `{ $function }` on line { NUMBER($line, useGrouping: 0) } works on booleans and integers only. For a mask, keep the result of the comparison, which has dtype `bool`.
        [product] `{ $function }` on line { NUMBER($line, useGrouping: 0) } does not multiply booleans as matrices. `.float()` makes numbers of them.
        [mask] `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes a mask of dtype `bool`.
       *[floats] `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes floating-point numbers only.
    }{ error-caught }

fix-convert_to_long = Convert it: add `.long()`
fix-convert_to_float = Convert it: add `.float()`
fix-convert_to_bool = Convert it: add `.bool()`
fix-invert_mask = Invert the mask with `~`

finding-integer_leaf-title = Integers cannot require grad
finding-integer_leaf =
    { $known ->
        [yes] `{ $left }`{ $left_line ->
            [0] {""}
           *[other] {" "}(line { NUMBER($left_line, useGrouping: 0) })
        } has dtype `{ $dtype }`, so line { NUMBER($line, useGrouping: 0) } raises
       *[no] `{ $left }` on line { NUMBER($line, useGrouping: 0) } creates a tensor of dtype `{ $dtype }`
    }. Only floating-point and complex tensors can require grad.{ error-caught }

fix-make_floats = Create it with `dtype=torch.float32`

finding-class_index-title = There is no such class
finding-class_index =
    `{ $right }`{ $right_line ->
        [0] {""}
       *[other] { $right_from ->
            [made] {" "}(line { NUMBER($right_line, useGrouping: 0) })
           *[view] {" "}(from line { NUMBER($right_line, useGrouping: 0) })
        }
    } contains { $index }. { $rule ->
        [loss] `{ $left }` has scores for { $classes ->
            [one] 1 class
           *[other] { NUMBER($classes, useGrouping: 0) } classes
        }, so `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes class indices from 0 to { NUMBER($last, useGrouping: 0) }.
        [table] `{ $left }` has { $classes ->
            [one] 1 row
           *[other] { NUMBER($classes, useGrouping: 0) } rows
        }, so `{ $function }` on line { NUMBER($line, useGrouping: 0) } takes indices from 0 to { NUMBER($last, useGrouping: 0) }.
       *[one_hot] { $sign ->
            [negative] `one_hot` on line { NUMBER($line, useGrouping: 0) } takes class indices from 0 on.
           *[beyond] With `num_classes` { NUMBER($classes, useGrouping: 0) }, `one_hot` on line { NUMBER($line, useGrouping: 0) } takes class indices from 0 to { NUMBER($last, useGrouping: 0) }.
        }
    }{ $advice ->
        [from_one] {" "}These labels go from 1 to { NUMBER($classes, useGrouping: 0) }; class indices start at 0.
        [ignore] {" "}If this marks targets to leave out, say so with `ignore_index={ $index }`.
       *[none] {""}
    }{ error-caught }

fix-labels_from_zero = Let the labels start at 0: `- 1`

finding-one_value_per_channel-title = One value per channel has no variance
finding-one_value_per_channel =
    `{ $left }` has shape `{ $left_shape }`, so `{ $module }` (`{ $layer }`) on line { NUMBER($line, useGrouping: 0) } gets one value per channel. In training mode it normalizes with the variance of these values, so it needs more than one. { $rows ->
        [one] The batch has one row: `drop_last=True` of a `DataLoader` leaves out a last batch of one, and `.eval()` uses the running statistics at inference.
       *[other] `.eval()` uses the running statistics at inference.
    }{ error-caught }

fix-squeeze_target = Remove the dimension of size 1: `.squeeze(1)`
fix-classes_first = Move the classes to dimension 1: `.transpose(1, 2)`
