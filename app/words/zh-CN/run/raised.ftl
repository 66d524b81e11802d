# 关于程序因何结束的发现：数据类型、类别下标、模式，以及传给函数的内容。

# `left` 和 `right` 及其数据类型，与 `error-shapes` 相似。
error-dtypes =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的类型是 `{ $left_dtype }`，`{ $right }`{ $right_line ->
        [0] {" "}
       *[other] { $right_from ->
            [made] （第 { NUMBER($right_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($right_line, useGrouping: 0) } 行）
        }
    }的类型是 `{ $right_dtype }`。

# `left` 及其数据类型。
error-dtype =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的类型是 `{ $left_dtype }`。

finding-dtype_mismatch-title = 两者的数据类型不同
finding-dtype_mismatch =
    { error-dtypes }{ $rule ->
        [layer] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }`（`{ $kind_of_layer }`）不会转换输入，所以输入的类型必须与这一层权重的类型相同。
        [weight] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 把类别权重与输入相乘，所以两者类型必须相同。
        [write] { $function ->
            [index] 第 { NUMBER($line, useGrouping: 0) } 行用下标张量赋值，不会转换
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 不会转换
        }写入的内容，所以两者类型必须相同。
       *[product] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 不会转换类型，所以两者类型必须相同。
    }{ $method ->
        [none] {""}
       *[other] { $rule ->
            [product] 可用 `.float()` 转换为 `float32`。
           *[other] 可用 `.{ $method }()` 转换为 `{ $right_dtype }`。
        }
    }{ error-caught }

fix-convert_dtype = 转换类型：加上 `.{ $method }()`

finding-dtype_refused-title = 这里不支持这种数据类型
finding-dtype_refused =
    { error-dtype }{ $rule ->
        [index] 第 { NUMBER($line, useGrouping: 0) } 行把它用作下标；下标张量必须是 `int64` 这样的整数类型，或者是布尔掩码。
        [embedding] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 按编号查找行，所以输入的类型必须是 `int64` 或 `int32`。
        [gather] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的下标必须是 `int64` 类型。
        [one_hot] 第 { NUMBER($line, useGrouping: 0) } 行的 `one_hot` 需要 `int64` 类型的类别下标。
        [subtract] PyTorch 不支持布尔值相减，所以第 { NUMBER($line, useGrouping: 0) } 行报错。`~` 可以反转掩码；`.int()` 或 `.float()` 可以把它变成数。
        [negative] PyTorch 不支持对布尔值取负，所以第 { NUMBER($line, useGrouping: 0) } 行报错。`~` 可以反转掩码。
        [bits] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只用于布尔值和整数。如果是掩码，请保留比较的结果，它的类型是 `bool`。
        [product] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 不支持布尔值的矩阵乘法。可用 `.float()` 把它变成数。
        [mask] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要 `bool` 类型的掩码。
       *[floats] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只接受浮点数。
    }{ error-caught }

fix-convert_to_long = 转换类型：加上 `.long()`
fix-convert_to_float = 转换类型：加上 `.float()`
fix-convert_to_bool = 转换类型：加上 `.bool()`
fix-invert_mask = 用 `~` 反转掩码

finding-integer_leaf-title = 整数不能要求梯度
finding-integer_leaf =
    { $known ->
        [yes] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的类型是 `{ $dtype }`，所以第 { NUMBER($line, useGrouping: 0) } 行报错
       *[no] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $left }` 创建类型为 `{ $dtype }` 的张量
    }。只有浮点数和复数张量可以要求梯度。{ error-caught }

fix-make_floats = 用 `dtype=torch.float32` 创建

finding-class_index-title = 没有这个类别
finding-class_index =
    `{ $right }`{ $right_line ->
        [0] {" "}
       *[other] { $right_from ->
            [made] （第 { NUMBER($right_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($right_line, useGrouping: 0) } 行）
        }
    }含有 { $index }。{ $rule ->
        [loss] `{ $left }` 有 { NUMBER($classes, useGrouping: 0) } 个类别的得分，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 接受 0 到 { NUMBER($last, useGrouping: 0) } 的类别下标。
        [table] `{ $left }` 有 { NUMBER($classes, useGrouping: 0) } 行，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 接受 0 到 { NUMBER($last, useGrouping: 0) } 的下标。
       *[one_hot] { $sign ->
            [negative] 第 { NUMBER($line, useGrouping: 0) } 行的 `one_hot` 只接受从 0 开始的类别下标。
           *[beyond] `num_classes` 是 { NUMBER($classes, useGrouping: 0) } 时，第 { NUMBER($line, useGrouping: 0) } 行的 `one_hot` 接受 0 到 { NUMBER($last, useGrouping: 0) } 的类别下标。
        }
    }{ $advice ->
        [from_one] 这些标签从 1 到 { NUMBER($classes, useGrouping: 0) }，而类别下标从 0 开始。
        [ignore] 如果它表示要忽略的目标，请写明 `ignore_index={ $index }`。
       *[none] {""}
    }{ error-caught }

fix-labels_from_zero = 让标签从 0 开始：`- 1`

finding-one_value_per_channel-title = 每个通道只有一个值，没有方差
finding-one_value_per_channel =
    `{ $left }` 的形状是 `{ $left_shape }`，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $module }`（`{ $layer }`）在每个通道只得到一个值。训练模式下它用这些值的方差做归一化，所以需要不止一个值。{ $rows ->
        [one] 这个批次只有一行：`DataLoader` 的 `drop_last=True` 会丢掉只有一行的最后一批；推理时用 `.eval()`，它使用运行统计量。
       *[other] 推理时用 `.eval()`，它使用运行统计量。
    }{ error-caught }

fix-squeeze_target = 去掉大小为 1 的维：`.squeeze(1)`
fix-classes_first = 把类别移到第 1 维：`.transpose(1, 2)`
