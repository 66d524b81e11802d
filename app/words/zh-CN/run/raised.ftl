# 关于程序因何结束的发现：dtype、类别下标、模式，以及传给函数的内容。

# `left` 和 `right` 及其dtype，与 `error-shapes` 相似。
error-dtypes =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的 dtype 是 `{ $left_dtype }`，`{ $right }`{ $right_line ->
        [0] {" "}
       *[other] { $right_from ->
            [made] （第 { NUMBER($right_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($right_line, useGrouping: 0) } 行）
        }
    }的 dtype 是 `{ $right_dtype }`。

# `left` 及其dtype。
error-dtype =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的 dtype 是 `{ $left_dtype }`。

finding-dtype_mismatch-title = 两者的 dtype 不同
finding-dtype_mismatch =
    { error-dtypes }{ $rule ->
        [layer] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }`（`{ $kind_of_layer }`）不会转换输入，所以输入的 dtype 必须与这一层权重的 dtype 相同。
        [weight] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 把类别权重与输入相乘，所以两者的 dtype 必须相同。
        [write] { $function ->
            [index] 第 { NUMBER($line, useGrouping: 0) } 行用下标张量赋值，不会转换
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 不会转换
        }写入的内容，所以两者的 dtype 必须相同。
       *[product] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 不会转换 dtype，所以两者的 dtype 必须相同。
    }{ $method ->
        [none] {""}
       *[other] { $rule ->
            [product] 可用 `.float()` 转换为 `float32`。
           *[other] 可用 `.{ $method }()` 转换为 `{ $right_dtype }`。
        }
    }{ error-caught }

fix-convert_dtype = 转换 dtype：加上 `.{ $method }()`

finding-dtype_refused-title = 这里不支持这个 dtype
finding-dtype_refused =
    { error-dtype }{ $rule ->
        [index] 第 { NUMBER($line, useGrouping: 0) } 行把它用作下标；下标张量必须是 `int64` 这样的整数类型，或者是布尔掩码。
        [embedding] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 按下标查找行，所以输入的 dtype 必须是 `int64` 或 `int32`。
        [gather] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的下标的 dtype 必须是 `int64` 或 `int32`。
        [copy] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的下标的 dtype 必须是 `int64`。
        [one_hot] 第 { NUMBER($line, useGrouping: 0) } 行的 `one_hot` 需要 dtype 为 `int64` 的类别下标。
        [subtract] PyTorch 不支持布尔值相减，所以第 { NUMBER($line, useGrouping: 0) } 行报错。`~` 可以反转掩码；`.int()` 或 `.float()` 可以把它变成数。
        [negative] PyTorch 不支持对布尔值取负，所以第 { NUMBER($line, useGrouping: 0) } 行报错。`~` 可以反转掩码。
        [bits] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只支持布尔值和整数。如果是掩码，请保留比较的结果，它的 dtype 是 `bool`。
        [product] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 不支持布尔值的矩阵乘法。可用 `.float()` 把它变成数。
        [mask] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要 dtype 为 `bool` 的掩码。
        [complex] 复数没有大小顺序，而第 { NUMBER($line, useGrouping: 0) } 行的{ $function ->
            [none] 比较
           *[other] {" "}`{ $function }`{" "}
        }需要比较大小。`.abs()` 给出绝对值，`.real` 给出实部。
        [integers] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只接受整数。
       *[floats] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只接受浮点数。
    }{ error-caught }

fix-convert_to_long = 转换 dtype：加上 `.long()`
fix-convert_to_float = 转换 dtype：加上 `.float()`
fix-convert_to_bool = 转换 dtype：加上 `.bool()`
fix-absolute_value = 取绝对值：`.abs()`
fix-invert_mask = 用 `~` 反转掩码

finding-integer_leaf-title = 整数不能要求梯度
finding-integer_leaf =
    { $known ->
        [yes] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的 dtype 是 `{ $dtype }`，所以第 { NUMBER($line, useGrouping: 0) } 行报错
       *[no] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $left }` 创建 dtype 为 `{ $dtype }` 的张量
    }。只有浮点数和复数张量可以要求梯度。{ error-caught }

fix-make_floats = 用 `dtype=torch.float32` 创建

finding-class_index-title =
    { $rule ->
        [table] 下标超出范围
       *[other] 类别下标超出范围
    }
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
        [ignore] 如果它表示要忽略的目标，请传入 `ignore_index={ $index }`。
       *[none] {""}
    }{ error-caught }

fix-labels_from_zero = 让标签从 0 开始：`- 1`

finding-one_value_per_channel-title = 每个通道只有一个值，没有方差
finding-one_value_per_channel =
    `{ $left }` 的形状是 `{ $left_shape }`，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $module }`（`{ $layer }`）在每个通道只得到一个值。{ $layer ->
        [InstanceNorm1d] 它用这些值的方差对每个样本做归一化，所以需要多于一个值。
        [InstanceNorm2d] 它用这些值的方差对每个样本做归一化，所以需要多于一个值。
        [InstanceNorm3d] 它用这些值的方差对每个样本做归一化，所以需要多于一个值。
       *[other] 训练模式下它用这些值的方差做归一化，所以需要多于一个值。{ $rows ->
            [1] 这个批次只有一行：`DataLoader` 的 `drop_last=True` 会丢掉只有一行的最后一个批次。推理时请调用 `.eval()`，这时使用运行统计量。
           *[other] 推理时请调用 `.eval()`，这时使用运行统计量。
        }
    }{ error-caught }

fix-squeeze_target = 去掉大小为 1 的维：`.squeeze(1)`
fix-transpose_mask = 转置掩码：`.T`
fix-classes_first = 把类别移到第 1 维：`.transpose(1, 2)`

# `left` 及其形状。
error-shape =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的形状是 `{ $left_shape }`。

finding-many_values-title = 需要一个值，却有多个
finding-many_values =
    { error-shape }{ $rule ->
        [truth] 第 { NUMBER($line, useGrouping: 0) } 行要判断它的真假，而只有一个元素的张量才有真假。`.any()` 或 `.all()` 把它归约成一个元素；`torch.where` 逐元素选择。
        [item] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只能用于只有一个元素的张量。请先归约（`.mean()`、`.sum()`），或用 `.tolist()` 取出全部值。
        [math] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只接受一个数。`torch` 中的同名函数逐元素计算。
        [format] 第 { NUMBER($line, useGrouping: 0) } 行的格式只能用于一个数。请先归约（`.mean()`、`.sum()`），或去掉格式。
       *[rebuilt] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要的是数，而不是含多个值的张量。`torch.stack` 可以把形状相同的一列张量合成一个张量。
    }{ error-caught }

finding-not_a_tensor-title = 这不是张量
finding-not_a_tensor =
    { $rule ->
        [joined] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 要求把张量放在一个列表或元组里；这里它们是单独的参数，第一个是 `{ $name }`。
        [pair] `{ $name }`{ $maker_line ->
            [0] {" "}
           *[other] （第 { NUMBER($maker_line, useGrouping: 0) } 行）
        }不是张量：`{ $maker }` 返回{ $maker ->
            [LSTM] 输出和最终状态
            [GRU] 输出和最终状态
            [RNN] 输出和最终状态
            [MultiheadAttention] 输出和注意力权重
           *[other] 值和下标
        }。第 { NUMBER($line, useGrouping: 0) } 行需要的是其中一个。
        [several] `{ $name }`{ $maker_line ->
            [0] {" "}
           *[other] （第 { NUMBER($maker_line, useGrouping: 0) } 行）
        }是元组：`{ $maker }` 在第 { NUMBER($written_line, useGrouping: 0) } 行返回多个值。第 { NUMBER($line, useGrouping: 0) } 行需要的是其中一个。
        [nothing] `{ $name }`{ $maker_line ->
            [0] {" "}
           *[other] （第 { NUMBER($maker_line, useGrouping: 0) } 行）
        }是 `None`：`{ $maker }`{ $written_line ->
            [0] {" "}原地修改列表，没有返回值
           *[other] （第 { NUMBER($written_line, useGrouping: 0) } 行）中没有带返回值的 `return`
        }。第 { NUMBER($line, useGrouping: 0) } 行需要张量。
        [array] `{ $name }`{ $maker_line ->
            [0] {" "}
           *[other] （第 { NUMBER($maker_line, useGrouping: 0) } 行）
        }是 NumPy 数组，而第 { NUMBER($line, useGrouping: 0) } 行需要张量：`torch.from_numpy({ $name })`。
       *[list] `{ $name }`{ $maker_line ->
            [0] {" "}
           *[other] （第 { NUMBER($maker_line, useGrouping: 0) } 行）
        }是 `{ $type }`，而第 { NUMBER($line, useGrouping: 0) } 行需要张量。`torch.stack` 把形状相同的多个张量合成一个；`torch.tensor` 用数创建张量。
    }{ error-caught }

fix-first_of_pair = 取其中第一个
fix-take_indices = 使用下标：`.indices`
fix-stack_list = 把列表合成一个张量：`torch.stack`
fix-from_array = 转换数组：`torch.from_numpy`
fix-join_list = 把张量放进列表

finding-missing_init-title = 缺少 `super().__init__()`
finding-missing_init = `{ $type }.__init__`（第 { NUMBER($init_line, useGrouping: 0) } 行）在 `nn.Module` 初始化之前，就在第 { NUMBER($line, useGrouping: 0) } 行给 `{ $name }` 赋值，这时模块还无法注册它。请先调用 `super().__init__()`。{ error-caught }
fix-call_init = 先调用 `super().__init__()`

finding-missing_forward-title = 没有 `forward`
finding-missing_forward =
    第 { NUMBER($line, useGrouping: 0) } 行调用{ $how ->
        [list] {" "}`{ $type }`，但 `{ $container }` 只存放模块，没有 `forward`。请依次调用其中的模块，或用 `nn.Sequential`。
        [nested] {" "}`{ $type }`，它的 `forward`（第 { NUMBER($written_line, useGrouping: 0) } 行）缩进到了另一个方法里，所以这个类没有 `forward`。
        [spelled] {" "}`{ $type }`，它没有 `forward`：第 { NUMBER($written_line, useGrouping: 0) } 行把它写成了 `{ $written }`。
       *[missing] {" "}`{ $type }`（第 { NUMBER($written_line, useGrouping: 0) } 行），它没有定义 `forward`。调用模块就是运行它的 `forward`。
    }{ error-caught }
fix-spell_forward = 改名为 `forward`
fix-make_sequential = 使用 `nn.Sequential`

finding-forward_arguments-title = 传给 `forward` 的参数不对
finding-forward_arguments =
    调用模块时，参数会传给 `forward`。`{ $type }.forward`（第 { NUMBER($forward_line, useGrouping: 0) } 行）{ $rule ->
        [no_self] 没有任何参数，连 `self` 也没有。
        [many] 在 `self` 之后{ $taken ->
            [0] 没有参数
           *[other] 的参数是 `{ $names }`
        }，而第 { NUMBER($line, useGrouping: 0) } 行传了 { $given } 个。
        [unknown] 没有第 { NUMBER($line, useGrouping: 0) } 行传入的参数 `{ $name }`。
       *[missing] 还需要 `{ $name }`，而第 { NUMBER($line, useGrouping: 0) } 行没有传入。
    }{ error-caught }

finding-loss_class_called-title = 创建了损失对象，而不是计算损失
finding-loss_class_called = `{ $written }` 是类：第 { NUMBER($call_line, useGrouping: 0) } 行把 `{ $left }` 和 `{ $right }` 作为选项传给了它的构造函数。请先创建损失对象，再用张量调用它：`{ $written }()({ $left }, { $right })`。{ error-caught }
fix-call_the_loss = 先创建损失对象，再调用

finding-misplaced_module-title = 这里需要另一种参数
finding-misplaced_module =
    { $rule ->
        [list] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 要求把模块作为单独的参数传入，而不是一个列表：`{ $function }(*{ $name })`。
        [method] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要 Parameter，而 `{ $name }` 是方法，没有被调用。
       *[module] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要 Parameter，而不是模块：`{ $name }.parameters()`。
    }{ error-caught }
fix-unpack_list = 展开列表：`*`
fix-give_parameters = 传入 `.parameters()`
fix-call_parameters = 调用该方法：`()`

finding-state_dict_mismatch-title = 状态字典与模块不匹配
finding-state_dict_mismatch =
    { $rule ->
        [prefix] `{ $given }` 的每个键都以 `module.` 开头（`DataParallel` 会这样命名），而 `{ $module }` 的键没有，所以第 { NUMBER($line, useGrouping: 0) } 行找不到需要的键。请去掉这个前缀。
        [wrapped] `{ $given }` 本身不是第 { NUMBER($line, useGrouping: 0) } 行需要的状态字典，它的 `{ $entry }` 项才是。
        [size] `{ $entry }` 在 `{ $module }` 中的形状是 `{ $wanted_shape }`，在 `{ $given }` 中是 `{ $given_shape }`，所以第 { NUMBER($line, useGrouping: 0) } 行无法复制。`strict=False` 也不允许形状不同；请去掉这个键。
        [both] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $given }` 没有 `{ $module }` 需要的键 `{ $first_missing }`，却有 `{ $module }` 没有的 `{ $first_unexpected }`。
        [missing] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $given }` 没有 `{ $module }` 需要的键 `{ $entry }`。
       *[unexpected] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $given }` 有 `{ $module }` 没有的键 `{ $entry }`。
    }{ error-caught }
fix-strip_prefix = 去掉键中的 `module.`
fix-take_entry = 加载这一项

finding-dimension_range-title = 维度超出范围
finding-dimension_range =
    { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 要用第 { $dimension } 维，而 { $dimensions } 维张量的维度只能是 { $first } 到 { $last }。{ error-caught }

finding-mask_mismatch-title = 下标与形状不匹配
finding-mask_mismatch =
    { error-shapes }{ $rule ->
        [count] 第 { NUMBER($line, useGrouping: 0) } 行的掩码是 { $right_size } 维，多于被选取的 { $left_size } 维。
        [shape] 掩码的大小必须与它所选取的各维相同。第 { NUMBER($line, useGrouping: 0) } 行中，掩码第 { $at } 维的大小是 { NUMBER($right_size, useGrouping: 0) }，不是 { NUMBER($left_size, useGrouping: 0) }。
        [written] 掩码选出的元素形状是 `{ $wanted }`，而第 { NUMBER($line, useGrouping: 0) } 行赋给它们的内容不能广播到这个形状。
       *[indexed] 下标选出的元素形状是 `{ $wanted }`，而第 { NUMBER($line, useGrouping: 0) } 行赋给它们的内容不能广播到这个形状。
    }{ error-caught }

finding-size_arguments-title = 这些数与形状不匹配
finding-size_arguments =
    { error-shape }{ $rule ->
        [permute] 第 { NUMBER($line, useGrouping: 0) } 行的 `permute({ $written })` 必须把每一维都写一次：应该有 { $there } 个数，而不是 { $asked } 个。
        [each] 第 { NUMBER($line, useGrouping: 0) } 行的 `permute({ $written })` 必须把每一维都写一次，从 0 开始。
        [repeat] 第 { NUMBER($line, useGrouping: 0) } 行的 `repeat({ $written })` 至少要为 { $there } 维各写一个数，这里只有 { $asked } 个。
        [split] 第 { NUMBER($line, useGrouping: 0) } 行的大小 `{ $written }` 之和是 { NUMBER($asked, useGrouping: 0) }，而第 { $at } 维的大小是 { NUMBER($there, useGrouping: 0) }。
        [topk] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 要取第 { $at } 维的 { NUMBER($asked, useGrouping: 0) } 个元素，而这一维只有 { NUMBER($there, useGrouping: 0) } 个。
        [interpolate] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $written }` 模式的 `interpolate` 需要 { $asked } 维的输入（批次、通道，然后是各大小），而不是 { $there } 维。
        [rows] 第 { NUMBER($line, useGrouping: 0) } 行沿第 0 维把它解包，这一维的大小是 { NUMBER($there, useGrouping: 0) }，而变量有 { $asked } 个：`{ $written }`。
       *[shape] 第 { NUMBER($line, useGrouping: 0) } 行把它的 { $there } 个大小解包给 { $asked } 个变量：`{ $written }`。
    }{ error-caught }

finding-kernel_size-title = 核比输入大
finding-kernel_size = { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }`{ $kind_of_layer ->
        [none] {" "}
       *[other] （`{ $kind_of_layer }`）
    }的卷积核或池化核是 { $kernel }，而输入加上填充只有 { $sizes }。请用更大的输入、更小的核，或增加填充。{ error-caught }

finding-collate_mismatch-title = 同一批次中各项的形状不同
finding-collate_mismatch =
    { error-shapes }它们是第 { NUMBER($line, useGrouping: 0) } 行的 `DataLoader` 合成一个批次的第 0 项和第 { $number } 项。它把各项{ $several ->
        [yes] 的第 { $at } 个元素
       *[no] {""}
    }堆叠起来，所以形状必须全部相同。请在 `collate_fn` 中填充，例如用 `torch.nn.utils.rnn.pad_sequence`。{ error-caught }

finding-vmap_refused-title = `vmap` 不支持这种做法
finding-vmap_refused =
    { $rule ->
        [truth] 第 { NUMBER($line, useGrouping: 0) } 行根据 `{ $text }` 选择分支，但 `vmap` 对所有样本只运行一次函数，而各样本的结果可能不同。`torch.where` 可以为每个样本分别选择。
        [number] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 把张量转成 Python 数，但 `vmap` 对所有样本只运行一次函数，所以不存在单独的一个数。请保留张量。
       *[random] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 会产生随机数。如果每个样本用各自的随机数，请给 `vmap` 传入 `randomness="different"`；如果共用，请传入 `randomness="same"`。
    }{ error-caught }

finding-not_divisible-title = 一个大小不能被另一个整除
finding-not_divisible = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $layer }` 把 `{ $whole }`（{ NUMBER($whole_size, useGrouping: 0) }）除以 `{ $by }`（{ NUMBER($by_size, useGrouping: 0) }），所以前者必须是后者的倍数。{ error-caught }

finding-attention_mask-title = 掩码的形状不对
finding-attention_mask =
    { error-shapes }{ $rule ->
        [padding] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的填充掩码要为批次中每个序列的每个位置给出一项：形状应为 `{ $wanted }`。
       *[positions] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的注意力掩码每行对应一个查询位置，每列对应一个键位置：形状应为 `{ $wanted }`。
    }{ error-caught }

finding-not_joined-title = 没有可以拼接的内容
finding-not_joined =
    { $rule ->
        [empty] `{ $name }`{ $made_line ->
            [0] {" "}
           *[other] （第 { NUMBER($made_line, useGrouping: 0) } 行）
        }是空的，而第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 至少需要一个张量。
       *[scalars] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 沿某一维拼接，而 `{ $name }` 中的张量是 0 维的。`torch.stack` 会增加一维。
    }{ error-caught }

finding-attribute_called-title =
    { $rule ->
        [called] 属性不能调用
       *[indexed] 方法需要调用
    }
finding-attribute_called =
    { $rule ->
        [called] `{ $left }` 的 `{ $name }` 是属性而不是方法，第 { NUMBER($line, useGrouping: 0) } 行不能调用它。
       *[indexed] `{ $left }` 的 `{ $name }` 是方法，第 { NUMBER($line, useGrouping: 0) } 行不能对它用下标。`.shape[...]` 给出大小。
    }{ error-caught }
fix-use_attribute = 使用属性
