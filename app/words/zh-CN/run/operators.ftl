# 自定义 Function 的问题，以及算子、autograd 和 torch.func 拒绝执行的情况。

finding-custom_function-title = autograd 无法这样使用自定义 Function
finding-custom_function =
    { $rule ->
        [constructed] 第 { NUMBER($cause_line, useGrouping: 0) } 行的 `{ $text }` 只创建了类 `{ $class }` 的对象，没有计算任何东西。`{ $class }.apply(…)` 才会计算并记录计算图。
        [object] 第 { NUMBER($cause_line, useGrouping: 0) } 行创建了类 `{ $class }` 的对象，第 { NUMBER($line, useGrouping: 0) } 行把它当作 `{ $text }` 调用。这样的对象不能调用；`{ $class }.apply` 才会计算并记录计算图。
        [missing] 类 `{ $class }` 没有第 { NUMBER($line, useGrouping: 0) } 行需要的方法 `{ $text }`。{ $name ->
            [none] {""}
           *[other] 第 { NUMBER($cause_line, useGrouping: 0) } 行定义的是 `{ $name }`。
        }
        [direct] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 直接调用 `forward`，没有 `ctx`。`{ $class }.apply` 会传入 `ctx` 并记录计算图。
        [no_context] `apply` 会把 `ctx` 放在第 { NUMBER($line, useGrouping: 0) } 行的参数之前传入。第 { NUMBER($cause_line, useGrouping: 0) } 行的 `forward` 只接受 `{ $names }`，所以它的第一个参数必须是 `ctx`。
        [both_contexts] `{ $class }` 定义了 `setup_context`，所以 `apply` 不会给 `forward` 传入 `ctx`。第 { NUMBER($cause_line, useGrouping: 0) } 行的 `forward` 接受 `{ $names }`。
        [arguments] 第 { NUMBER($line, useGrouping: 0) } 行给 `{ $text }` 传了 { NUMBER($given, useGrouping: 0) } 个参数，而第 { NUMBER($cause_line, useGrouping: 0) } 行的 `forward` 接受 `{ $names }`。
        [saved] 第 { NUMBER($cause_line, useGrouping: 0) } 行的 `save_for_backward` 只接受张量，而 `{ $text }` 的类型是 `{ $name }`。请把它存为 `ctx` 的属性。
        [setup] 第 { NUMBER($line, useGrouping: 0) } 行在 `torch.func` 中运行 `{ $class }`。这需要 `setup_context(ctx, inputs, output)` 来保存 `backward` 要用的内容，并且 `forward` 不带 `ctx`。`{ $class }` 没有 `setup_context`；它的 `forward` 在第 { NUMBER($cause_line, useGrouping: 0) } 行。
        [spelled] 第 { NUMBER($line, useGrouping: 0) } 行读取 `{ $text }`，但没有任何地方设置它。这个属性名为 `{ $name }`。
        [unset] 第 { NUMBER($line, useGrouping: 0) } 行读取 `{ $text }`，但 `{ $class }` 中没有任何一行设置它。{ $name ->
            [none] {""}
           *[other] 第 { NUMBER($cause_line, useGrouping: 0) } 行的 `forward` 得到 `{ $name }`，可以把它存到 `ctx` 上。
        }
        [unpacked] 第 { NUMBER($cause_line, useGrouping: 0) } 行的 `save_for_backward` 保存了 { NUMBER($given, useGrouping: 0) } 个张量（`{ $names }`），而第 { NUMBER($line, useGrouping: 0) } 行把 `saved_tensors` 解包给 { NUMBER($taken, useGrouping: 0) } 个变量（`{ $text }`）。
        [tuple] 即使只保存了一个张量，`{ $name }.saved_tensors` 也是元组，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 不是张量。`x, = { $name }.saved_tensors` 可以把它解包。
        [needs] 除 `ctx` 外，`forward` 的每个参数在 `needs_input_grad` 中有一项：`{ $names }`（第 { NUMBER($cause_line, useGrouping: 0) } 行）。第 { NUMBER($line, useGrouping: 0) } 行读取 `{ $text }`，而下标从 0 开始。
        [gradients] `{ $class }` 的 `forward` 返回了 { NUMBER($given, useGrouping: 0) } 个张量，所以 autograd 调用 `backward` 时传入 `ctx` 和 { NUMBER($given, useGrouping: 0) } 个梯度。第 { NUMBER($cause_line, useGrouping: 0) } 行的 `backward` 接受 `{ $text }`。
        [number] `{ $class }` 的 `backward` 在第 { NUMBER($cause_line, useGrouping: 0) } 行返回 `{ $text }`。梯度必须是张量或 None，所以第 { NUMBER($line, useGrouping: 0) } 行报错。
       *[once] `{ $class }` 的 `backward` 带有 `@once_differentiable`（第 { NUMBER($cause_line, useGrouping: 0) } 行），所以它算出的梯度不能再次求导，而第 { NUMBER($line, useGrouping: 0) } 行要再次求导。去掉这个装饰器，autograd 就会记录 `backward` 中的运算。
    }{ error-caught }

fix-call_apply = 使用 `{ $class }.apply`
fix-spell_method = 改名为 `{ $text }`
fix-spell_attribute = 写成 `{ $name }`
fix-take_context = 把 `ctx` 作为第一个参数
fix-forward_without_context = 去掉参数 `ctx`
fix-keep_on_ctx = 存为 `ctx` 的属性
fix-save_also = 把其余的也保存
fix-unpack_saved = 解包这个元组
fix-index_saved = 取其中第一个张量
fix-drop_once = 去掉 `@once_differentiable`

finding-no_such_attribute-title = 没有这个属性
finding-no_such_attribute =
    { $rule ->
        [module] `{ $owner }` 没有 `{ $name }`，所以第 { NUMBER($line, useGrouping: 0) } 行报错。
       *[tensor] `{ $owner }` 是张量，而张量没有 `{ $name }`，所以第 { NUMBER($line, useGrouping: 0) } 行报错。
    }{ $instead ->
        [none] {""}
       *[other] { $how ->
            [numpy] PyTorch 中对应的是 `{ $instead }`。
           *[likely] 拼写相近的是 `{ $instead }`。
        }
    }{ error-caught }

fix-use_instead = 使用 `{ $instead }`

finding-gradient_given-title = 这个梯度不匹配
finding-gradient_given =
    { $rule ->
        [flag] 第 { NUMBER($line, useGrouping: 0) } 行把 `{ $right }` 作为 `{ $left }` 的梯度：`backward` 的第一个参数是梯度。`retain_graph` 要写出名字。
        [number] 第 { NUMBER($line, useGrouping: 0) } 行把 `{ $right }` 作为 `{ $left }` 的梯度，而它是 Python 数。梯度必须是与 `{ $left }` 形状相同的张量：`{ $left_shape }`。
        [assigned_number] 第 { NUMBER($line, useGrouping: 0) } 行把 `{ $left }` 的 `.grad` 设为 `{ $right }`。`.grad` 只接受 None，或形状和 dtype 相同的张量：`{ $left_shape }`、`{ $left_dtype }`。
        [assigned_dtype] { error-dtypes }第 { NUMBER($line, useGrouping: 0) } 行把 `{ $left }` 的 `.grad` 设为 `{ $right }`；两者的 dtype 必须相同。
        [assigned_shape] { error-shapes }第 { NUMBER($line, useGrouping: 0) } 行把 `{ $left }` 的 `.grad` 设为 `{ $right }`；两者的形状必须相同。
       *[shape] { error-shapes }第 { NUMBER($line, useGrouping: 0) } 行把 `{ $right }` 作为 `{ $left }` 的梯度；两者的形状必须相同。
    }{ error-caught }

fix-wrap_number = 用这个数创建张量
fix-drop_gradient = 省略它：标量的梯度是 1
fix-like_root = 创建形状相同的张量：`torch.ones_like(…)`
fix-clear_gradient = 设为 None
fix-as_dtype = 转换成相同的 dtype

finding-tensor_data-title = 无法由此创建张量
finding-tensor_data =
    { $rule ->
        [words] `{ $text }`{ $data_line ->
            [0] {" "}
           *[other] （第 { NUMBER($data_line, useGrouping: 0) } 行）
        }含有文本 `{ $item }`。张量只存数，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 报错。请先给每个文本一个编号。
        [nothing] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 含有 None{ $data_line ->
            [0] {""}
           *[other] （来自第 { NUMBER($data_line, useGrouping: 0) } 行）
        }。张量只存数；请用数代替 None，例如 `float('nan')`。
        [ragged] `{ $text }`{ $data_line ->
            [0] {" "}
           *[other] （第 { NUMBER($data_line, useGrouping: 0) } 行）
        }的各行长度不同：第 0 项长度为 { NUMBER($first, useGrouping: 0) }，第 { NUMBER($row, useGrouping: 0) } 项长度为 { NUMBER($size, useGrouping: 0) }。张量各行的长度必须相同，所以第 { NUMBER($line, useGrouping: 0) } 行报错。`torch.nn.utils.rnn.pad_sequence` 可以填充由张量组成的列表。
        [objects] 数组 `{ $text }`{ $data_line ->
            [0] {" "}
           *[other] （第 { NUMBER($data_line, useGrouping: 0) } 行）
        }的 dtype 是 `{ $item }`，张量没有这种 dtype。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 接受数或布尔值的数组：请选出这些列并用 `.astype(…)` 转换。
       *[strides] 数组 `{ $text }`{ $data_line ->
            [0] {" "}
           *[other] （第 { NUMBER($data_line, useGrouping: 0) } 行）
        }是反向读取内存的视图。张量的步长不能为负，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 报错。`.copy()` 返回元素按顺序存放的数组。
    }{ error-caught }

fix-copy_array = 先复制数组

finding-refused_call-title = 不接受这个参数
finding-refused_call =
    { $rule ->
        [not_called] 第 { NUMBER($line, useGrouping: 0) } 行的 `with` 需要上下文管理器，而 `{ $text }` 是类。`{ $text }()` 才会创建一个。
        [backwards] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 反向取值，而张量的切片只接受正的步长。`.flip(…)` 可以反转一个维度。
        [one_number] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `()`：它是一个数。第 { NUMBER($line, useGrouping: 0) } 行需要至少一维的张量。
        [range_of_size] `{ $text }` 是 `torch.Size`，而第 { NUMBER($line, useGrouping: 0) } 行的 `range` 需要一个整数，例如 `{ $text }[0]`。
        [dtype] 第 { NUMBER($line, useGrouping: 0) } 行的 dtype 是 `{ $text }`，而 PyTorch 只接受自己的 dtype{ $item ->
            [none] 。
           *[other] ：`torch.{ $item }`。
        }
        [size_number] 第 { NUMBER($line, useGrouping: 0) } 行的大小是数 `{ $text }`，而 `randint` 需要元组：`({ $text },)`。
        [size_missing] 第 { NUMBER($line, useGrouping: 0) } 行的 `randint` 在上下界之后还需要结果的大小，写成元组。
        [float_size] `{ $text }`{ $cause_line ->
            [0] {" "}
           *[other] （第 { NUMBER($cause_line, useGrouping: 0) } 行）
        }是浮点数{ $item ->
            [none] {""}
           *[other] （{ $item }）
        }，而第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 需要整数作为大小。{ $taken ->
            [0] {""}
           *[other] `/` 即使整除也得到浮点数；`//` 得到整数。
        }
        [not_square] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `{ $left_shape }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 需要方阵：最后两个维度的大小必须相等。
        [singular] 矩阵 `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }是奇异的，没有逆矩阵，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 报错。`torch.linalg.lstsq` 和 `torch.linalg.pinv` 也接受奇异矩阵。
        [not_definite] 矩阵 `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }不是正定的，而第 { NUMBER($line, useGrouping: 0) } 行的 `cholesky` 需要正定矩阵。如果是舍入误差造成的，请加上单位矩阵的一个小倍数。
        [empty] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `{ $left_shape }`，没有元素；第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 至少需要一个元素。
        [probabilities] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }含有 { $item }。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 需要概率。`{ $text }` 可以把得分变成概率。
        [fill] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `{ $left_shape }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 只写入一个值，所以需要一个数或形状为 `()` 的张量。
        [no_gradient] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }不需要梯度，不会有梯度传到它，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 报错。
        [complex_loss] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的 dtype 是 `{ $left_dtype }`。第 { NUMBER($line, useGrouping: 0) } 行的反向传播必须从实数开始；请让损失成为实数，例如用 `.abs()`。
        [hook_arguments] 钩子 `{ $text }`（第 { NUMBER($cause_line, useGrouping: 0) } 行）接受 { NUMBER($taken, useGrouping: 0) } 个参数{ $taken ->
            [0] {""}
           *[other] （`{ $name }`）
        }。autograd 调用张量的钩子时只传入一个参数，即梯度，所以第 { NUMBER($line, useGrouping: 0) } 行报错。
       *[uncoalesced] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }是稀疏张量，同一个下标可能出现多次。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 需要先合并：`.coalesce()` 会把下标相同的值相加。
    }{ error-caught }

fix-call_it = 创建一个：加上 `()`
fix-flip_instead = 使用 `.flip(…)`
fix-first_size = 取第一个大小：`[0]`
fix-torch_dtype = 使用 PyTorch 的 dtype
fix-size_as_tuple = 把大小写成元组
fix-divide_whole = 用 `//` 整除
fix-coalesce_first = 先合并
fix-as_probabilities = 变成概率：`.{ $text }(…)`
fix-fill_with_one = 去掉它的维度：`.squeeze()`

finding-func_refused-title = `torch.func` 不接受这个调用
finding-func_refused =
    { $rule ->
        [scalar] `{ $text }` 在第 { NUMBER($cause_line, useGrouping: 0) } 行返回形状为 `{ $item }` 的 `{ $left }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 只能对返回一个数（形状为 `()` 的张量）的函数求导。`torch.func.jacrev` 给出向量的全部导数；对梯度使用 `vmap` 则给出每个输入的导数。
        [sizes] { error-shapes }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 遍历两者的第一个维度，它们的大小是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }，必须相等。
        [number] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 遍历每个参数的第一个维度，而 `{ $name }` 不是张量。`{ $item }` 会把它原样传给每次调用。
        [no_dimension] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `()`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 遍历每个参数的第一个维度，而它没有维度。
        [tuple] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 的自变量和切向量都要写成元组。`{ $text }` 是张量；`({ $text },)` 是只含它的元组。
        [called] 第 { NUMBER($line, useGrouping: 0) } 行 `{ $name }` 的第一个参数必须是函数本身，而 `{ $text }` 是函数的结果，是张量。
        [argument] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 对第一个参数求导，而 `{ $text }` 是 Python 数，不是张量。
        [integers] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的 dtype 是 `{ $left_dtype }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 要对它求导，而只有浮点数和复数张量可以求导。
        [in_dim] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `{ $left_shape }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 沿维度 { $item } 映射，而它没有这个维度。
       *[names] `{ $text }`（第 { NUMBER($cause_line, useGrouping: 0) } 行）含有名字 `{ $name }`，而 `{ $right }` 没有这个参数。第 { NUMBER($line, useGrouping: 0) } 行的 `functional_call` 需要 `named_parameters()` 给出的名字，例如 `{ $item }`。
    }{ error-caught }

fix-in_dims = 只遍历张量：`{ $item }`
fix-as_tuples = 传入元组
fix-own_names = 保留 `named_parameters()` 的名字

fix-keep_graph = 写出参数名：`retain_graph=…`
fix-pass_function = 传入函数本身
fix-number_as_tensor = 用这个数创建张量

finding-refused_input-title = 运算不接受这个输入
finding-refused_input =
    { $rule ->
        [nothing] `{ $text }` 是 None，而第 { NUMBER($line, useGrouping: 0) } 行需要张量或数。{ $how ->
            [left_out] 它的默认值是 None，而第 { NUMBER($cause_line, useGrouping: 0) } 行的调用没有传入它。
           *[given] { $cause_line ->
                [0] {""}
               *[other] 第 { NUMBER($cause_line, useGrouping: 0) } 行把它设为 None。
            }
        }
        [list] `{ $text }` 是 Python 的 { $name }，而第 { NUMBER($line, useGrouping: 0) } 行把它与张量 `{ $left }` 一起运算。`torch.tensor({ $text })` 由数创建张量；由张量组成的列表用 `torch.stack` 或 `torch.cat` 合并。
        [power] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的 dtype 是 `{ $left_dtype }`。第 { NUMBER($line, useGrouping: 0) } 行的 { $text } 次幂一般是分数，整数无法表示，所以 PyTorch 拒绝执行。
        [keyword] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 没有参数 `{ $text }`。这个参数名为 `{ $item }`。
        [missing] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 还需要参数 `{ $item }`。
        [array] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的 dtype 是 `{ $left_dtype }`，NumPy 没有这种 dtype，所以第 { NUMBER($line, useGrouping: 0) } 行的 `.numpy()` 报错。`.float()` 把它转换为 `float32`。
        [device] 第 { NUMBER($line, useGrouping: 0) } 行写的设备是 `{ $text }`。PyTorch 称它为 `{ $item }`。
        [cross] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `{ $left_shape }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 沿最后一个维度计算三维向量的叉积。
       *[dimensions] `{ $left }`{ $left_line ->
            [0] {" "}
           *[other] （第 { NUMBER($left_line, useGrouping: 0) } 行）
        }的形状是 `{ $left_shape }`。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 需要{ $most ->
            [1] { $least ->
                [1] 恰好 1 维的张量（向量）
               *[other] 至多 1 维的张量
            }
            [2] { $least ->
                [2] 恰好 2 维的张量（矩阵）
               *[other] 至多 2 维的张量
            }
           *[other] 至少 { $least } 维的张量
        }。
    }{ error-caught }

fix-spell_keyword = 写成 `{ $item }`
