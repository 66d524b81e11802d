### torch 的 Python 代码拒绝的内容：不匹配的调用、不存在的名字、类型不对的对象、超出范围的值。

finding-call_arguments-title = 调用的参数不匹配
finding-call_arguments =
    { $how ->
        [constructor] 第 { NUMBER($line, useGrouping: 0) } 行给了 `{ $function }` 参数，但它的类（第 { NUMBER($defined_line, useGrouping: 0) } 行）没有 `__init__`：第 { NUMBER($written_line, useGrouping: 0) } 行把它写成了 `{ $written }`，所以 Python 不会调用它。
        [class] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }(…)` 创建一个模块，参数属于 `__init__`。要把它用于张量，先创建模块再调用：`{ $function }()(…)`。
        [plateau] `{ $function }` 需要 `metrics`，第 { NUMBER($line, useGrouping: 0) } 行没有给出。它逐个 epoch 比较这个值，例如传入验证集损失。
        [closure] `{ $function }` 需要 `closure`，第 { NUMBER($line, useGrouping: 0) } 行没有给出。它每一步会多次计算损失：传入一个函数，其中调用 `zero_grad()`、计算损失、调用 `backward()` 并返回损失。
        [attention] `{ $function }` 需要 `{ $name }`，第 { NUMBER($line, useGrouping: 0) } 行没有给出。自注意力把同一个张量作为 query、key 和 value 传入。
        [device] `{ $function }` 需要 `device_type`，第 { NUMBER($line, useGrouping: 0) } 行没有给出。它说明运算在哪里执行：`"cpu"` 或 `"cuda"`。
        [norm] `{ $function }` 需要 `max_norm`，第 { NUMBER($line, useGrouping: 0) } 行没有给出：即梯度允许的总范数，例如 1.0。
        [steps] `{ $function }` 需要 `{ $name }`，第 { NUMBER($line, useGrouping: 0) } 行没有给出。
       *[plain] { $rule ->
            [missing] `{ $function }`{ $defined_line ->
                    [0] {" "}
                   *[other] （第 { NUMBER($defined_line, useGrouping: 0) } 行）
                }需要 `{ $name }`，第 { NUMBER($line, useGrouping: 0) } 行没有给出。它的参数：{ $names }。
            [unknown] 第 { NUMBER($line, useGrouping: 0) } 行给了 `{ $function }`{ $defined_line ->
                    [0] {" "}
                   *[other] （第 { NUMBER($defined_line, useGrouping: 0) } 行）
                }参数 `{ $name }`，但它没有这个参数。{ $similar ->
                [none] 它的参数：{ $names }。
               *[other] 参数名是 `{ $similar }`。
            }
            [twice] 第 { NUMBER($line, useGrouping: 0) } 行给了 `{ $function }`{ $defined_line ->
                    [0] {" "}
                   *[other] （第 { NUMBER($defined_line, useGrouping: 0) } 行）
                }两次参数 `{ $name }`：按位置一次，按名字一次。
           *[many] 第 { NUMBER($line, useGrouping: 0) } 行给 `{ $function }`{ $defined_line ->
                    [0] {" "}
                   *[other] （第 { NUMBER($defined_line, useGrouping: 0) } 行）
                }的位置参数（{ $given } 个）比它能接受的（{ $taken } 个）多。它的参数：{ $names }。
        }
    }{ error-caught }
fix-spell_constructor = 改写成 `__init__`
fix-call_an_object = 先创建模块，再调用
fix-give_device = 说明在哪里执行：`"cpu"`
fix-attend_to_itself = 把张量作为 query、key 和 value 传入
fix-name_argument = 使用正确的参数名

finding-no_attribute-title = 没有这个名字
finding-no_attribute =
    { $how ->
        [iterator] `{ $owner }` 是迭代器，迭代器没有 `next` 方法：第 { NUMBER($line, useGrouping: 0) } 行用 `next({ $owner })` 取下一个元素。
        [loaded] `{ $owner }` 不是模块：`load_state_dict` 把数据加载到调用它的模块里，只返回哪些键不匹配。不要把它的结果赋给变量。
        [constructor] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $owner }`（`{ $type }`）没有 `{ $name }`。第 { NUMBER($set_line, useGrouping: 0) } 行在 `{ $similar }` 中设置它，但 Python 只调用 `__init__`。
        [later] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $owner }`（`{ $type }`）没有 `{ $name }`：第 { NUMBER($set_line, useGrouping: 0) } 行在 `{ $similar }` 中设置它，但对这个对象还没有执行过。
        [elsewhere] `{ $owner }` 没有 `{ $name }`（第 { NUMBER($line, useGrouping: 0) } 行）。有 `{ $similar }`。
       *[plain] { $rule ->
            [module] `{ $owner }` 没有 `{ $name }`（第 { NUMBER($line, useGrouping: 0) } 行）。
           *[object] `{ $owner }` 是 `{ $type }`，没有属性 `{ $name }`（第 { NUMBER($line, useGrouping: 0) } 行）。
        }
        [similar] { $rule ->
            [module] `{ $owner }` 没有 `{ $name }`（第 { NUMBER($line, useGrouping: 0) } 行），但有 `{ $similar }`。
           *[object] `{ $owner }` 是 `{ $type }`，没有属性 `{ $name }`（第 { NUMBER($line, useGrouping: 0) } 行）。它有 `{ $similar }`。
        }
    }{ error-caught }
fix-spell_name = 使用存在的名字
fix-take_next = 使用 `next(...)`

finding-not_callable-title = 这不是函数
finding-not_callable =
    { $rule ->
        [comma] 第 { NUMBER($made_line, useGrouping: 0) } 行以逗号结尾，所以 `{ $name }` 是只有一项的元组，而不是那一项。第 { NUMBER($line, useGrouping: 0) } 行不能调用元组。
        [loaded] `{ $name }`{ $made_line ->
                    [0] {" "}
                   *[other] （第 { NUMBER($made_line, useGrouping: 0) } 行）
                }不是模块：`load_state_dict` 把数据加载到调用它的模块里，只返回哪些键不匹配。不要把它的结果赋给变量。
        [builtin] `{ $name }` 是 Python 的函数，但第 { NUMBER($made_line, useGrouping: 0) } 行给了这个名字另一个值（`{ $type }`），所以第 { NUMBER($line, useGrouping: 0) } 行不能调用它。请给那个值换一个名字。
        [shadowed] `{ $name }` 原来可以调用，但第 { NUMBER($made_line, useGrouping: 0) } 行给了这个名字另一个值（`{ $type }`），所以第 { NUMBER($line, useGrouping: 0) } 行不能调用它。请给那个值换一个名字。
       *[other] `{ $name }`{ $made_line ->
                    [0] {" "}
                   *[other] （第 { NUMBER($made_line, useGrouping: 0) } 行）
                }是 `{ $type }`，不是函数或模块，所以第 { NUMBER($line, useGrouping: 0) } 行不能调用它。
    }{ error-caught }
fix-drop_comma = 去掉逗号
fix-load_in_place = 不赋值

finding-no_module-title = 这不是模块
finding-no_module =
    { $rule ->
        [class] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 是类，而 `{ $container }` 接受模块。请创建一个：`{ $name }()`，并给出它的参数。
        [tensor] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 是张量，而 `{ $container }` 接受模块。
        [lambda] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 是函数，而 `{ $container }` 接受模块。请写一个带 `forward` 的类。
       *[function] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 是函数，而 `{ $container }` 接受模块。{ $module ->
            [none] 请改为在 `forward` 中调用它。
           *[other] 作用相同的模块是 `nn.{ $module }()`。
        }
    }{ error-caught }
fix-make_module = 创建模块：加上 `()`
fix-use_module = 使用模块

finding-module_name-title = 模块不能使用的名字
finding-module_name =
    { $rule ->
        [dot] 第 { NUMBER($line, useGrouping: 0) } 行的名字 { $name } 含有点。点用来分隔 `layer.weight` 这样的路径的各级，所以名字不能含有点。
        [number] 第 { NUMBER($line, useGrouping: 0) } 行的名字 { $name } 是数字，而模块的名字必须是字符串。要给模块编号，请用 `nn.ModuleList`。
        [empty] 第 { NUMBER($line, useGrouping: 0) } 行的名字是空的。
       *[taken] { $set_line ->
            [0] 第 { NUMBER($line, useGrouping: 0) } 行的名字 { $name } 是每个模块都有的属性或方法的名字。请换一个名字。
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行的名字 { $name } 已被占用：第 { NUMBER($set_line, useGrouping: 0) } 行设置了同名的属性。请换一个名字，或不设置那个属性。
        }
    }{ error-caught }
fix-without_dot = 把点换成 `_`
fix-as_text = 写成字符串

finding-method_not_called-title = 方法缺少括号
finding-method_not_called = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $method }` 是方法，而不是它的结果：缺少括号。请写 `{ $method }()`。{ error-caught }
fix-add_parentheses = 加上括号

finding-loader_refused-title = 数据加载器不能使用它
finding-loader_refused =
    { $rule ->
        [iterator] `{ $name }` 是 `DataLoader`，不是迭代器，所以第 { NUMBER($line, useGrouping: 0) } 行的 `next` 不能从中取元素。`next(iter({ $name }))` 给出第一个批次。
        [indexed] `{ $name }` 是 `DataLoader`，第 { NUMBER($line, useGrouping: 0) } 行不能用下标访问它：它只能依次给出批次。`next(iter({ $name }))` 给出第一个批次，`{ $name }.dataset[i]` 给出一项。
        [unpacked] 第 { NUMBER($line, useGrouping: 0) } 行把每个批次解包为 `{ $right }`，但 `{ $name }` 的数据集只是一个张量 `{ $left }`，所以一个批次是一个张量。请把输入和目标放在一起：`TensorDataset(inputs, targets)`。
        [sizes] `TensorDataset` 的所有张量在第 0 维的大小必须相同，每个样本一项。第 { NUMBER($line, useGrouping: 0) } 行的 `{ $left }` 有 { NUMBER($wanted, useGrouping: 0) } 项，`{ $right }` 有 { NUMBER($size, useGrouping: 0) } 项。
        [lengths] 第 { NUMBER($line, useGrouping: 0) } 行的长度 `{ $right }` 之和是 { NUMBER($size, useGrouping: 0) }，但 `{ $name }` 有 { NUMBER($wanted, useGrouping: 0) } 项。两者必须相等。
        [beyond] 第 { NUMBER($line, useGrouping: 0) } 行要取 `{ $name }` 没有的项：它有 { NUMBER($size, useGrouping: 0) } 项，而 `{ $type }` 的 `__len__`（第 { NUMBER($at_line, useGrouping: 0) } 行）返回了更大的数。`DataLoader` 会取小于该数的每个下标。
        [empty] `{ $name }` 是空的：第 { NUMBER($line, useGrouping: 0) } 行至少需要一项。请检查它是怎样填充的。
        [length] `{ $type }`（第 { NUMBER($at_line, useGrouping: 0) } 行）没有 `__len__`，而第 { NUMBER($line, useGrouping: 0) } 行需要知道 `{ $name }` 有多少项。{ $left ->
            [none] 请定义返回这个数的 `__len__`。
           *[other] 它的方法 `{ $left }` 必须叫作 `__len__`。
        }
       *[none] `{ $name }`（第 { NUMBER($at_line, useGrouping: 0) } 行）对某一项返回了 None，而第 { NUMBER($line, useGrouping: 0) } 行的 `DataLoader` 不能把 None 放进批次。每一项都需要 `return`。
    }{ error-caught }
fix-make_iterator = 先创建迭代器：`iter(...)`
fix-fit_lengths = 让最后一部分取余下的项
fix-count_items = 返回项数

finding-wrong_argument-title = 参数的类型或值不对
finding-wrong_argument =
    { $rule ->
        [float] `{ $function }` 的 `{ $name }` 必须是整数，而第 { NUMBER($line, useGrouping: 0) } 行的 `{ $written }` 是浮点数。`/` 除法总是得到浮点数，`//` 得到整数。
        [unit] `{ $function }` 的 `{ $name }` 是 0 到 1 之间的概率，而第 { NUMBER($line, useGrouping: 0) } 行给出 { $type }。{ $wanted ->
            [none] {""}
           *[other] 百分之 { $type } 是 { $wanted }。
        }
        [negative] `{ $function }` 的 `{ $name }` 不能是负数，而第 { NUMBER($line, useGrouping: 0) } 行给出 { $type }。
        [positive] `{ $function }` 的 `{ $name }` 必须大于 0，而第 { NUMBER($line, useGrouping: 0) } 行给出 { $type }。
       *[kind] `{ $function }` 的 `{ $name }` 必须是{ $wanted ->
            [optimizer] 优化器
            [dict] 字典，例如另一个模块的 `state_dict()` 或 `torch.load` 的结果
            [tensor] 张量，例如某一层的 `weight`
            [parameter] 参数或参数组
            [function] 函数，它计算并返回损失
            [number] 数
           *[int] 整数
        }，而第 { NUMBER($line, useGrouping: 0) } 行的 `{ $written }` 是 `{ $type }`。
    }{ error-caught }
fix-divide_to_integer = 用 `//` 做除法
fix-write_integer = 写成整数
fix-other_number = 使用本来想写的数
fix-give_weight = 给出它的 `weight`
fix-give_state = 给出它的 `state_dict()`

finding-out_of_domain-title = 值超出范围
finding-out_of_domain =
    { $rule ->
        [nan] `{ $left }` 是第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的 `{ $name }`，其中有 NaN。它来自之前的计算：检查是否有除以零、对零取对数，或过大的权重。
        [unit] `{ $left }` 是第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的 `{ $name }`，必须在 0 和 1 之间，但其中有 { $value }。{ $function ->
            [BCELoss] 如果这是某一层的原始输出（logits），请用 `BCEWithLogitsLoss`，或先用 `sigmoid`。
            [binary_cross_entropy] 如果这是某一层的原始输出（logits），请用 `binary_cross_entropy_with_logits`，或先用 `sigmoid`。
           *[other] 某一层的原始输出应作为 `logits=` 传入，或先经过 `sigmoid`。
        }
        [positive] `{ $left }` 是第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的 `{ $name }`，必须大于 0，但其中有 { $value }。`softplus` 或 `exp` 把某一层的输出变成正数。
        [not_negative] `{ $left }` 是第 { NUMBER($line, useGrouping: 0) } 行 `{ $function }` 的 `{ $name }`，不能是负数，但其中有 { $value }。{ $function ->
            [Categorical] 某一层的原始输出应作为 `logits=` 传入。
           *[other] `softplus` 或 `exp` 把某一层的输出变成正数。
        }
       *[category] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $left }` 含有 { $value }，但这个 `{ $function }` 只有类别 0 到 { NUMBER($last, useGrouping: 0) }。
    }{ error-caught }
fix-use_logits = 使用接受 logits 的损失

finding-wrong_shape-title = 形状不匹配
finding-wrong_shape =
    { $rule ->
        [fan] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 由行数和列数计算范围，所以至少需要 { $wanted } 个维度，而不是 { $size } 个。偏置可以用 `nn.init.zeros_`。
        [dimensions] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 接受 { $wanted } 维的输入，没有批次时为 { $less } 维，而不是 { $size } 维。
        [pair] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 的状态是两个张量的元组，即隐藏状态和细胞状态，而 `{ $left }` 是一个张量。
        [one] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 没有细胞状态：它的状态是一个张量，而 `{ $text }` 是元组。
        [lengths] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 有 { $size } 个长度，而序列有 { $wanted } 个；每个序列必须有一个长度。
        [no_length] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 的第 { $at } 项不大于 0。打包的每个序列至少要有一个元素。
        [too_long] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $text }` 中有长度 { $size }，但填充后的序列只有 { $wanted } 步。批次在第 0 维时，请传入 `batch_first=True`。
        [features] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 是按最后一维 `d_model` = { NUMBER($wanted, useGrouping: 0) } 个特征创建的，而输入有 { NUMBER($size, useGrouping: 0) } 个。
        [padded] { error-shape }第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只填充第 0 维，所以其他维必须相同，但 `{ $text }` 的形状是 `{ $wanted_shape }`。
       *[unsorted] 第 { NUMBER($line, useGrouping: 0) } 行的长度 `{ $text }` 不是降序。传入 `enforce_sorted=False`，`{ $function }` 会自己给序列排序。
    }{ error-caught }
fix-pair_of_states = 再给一个全零的细胞状态
fix-one_state = 给出两个中的第一个
fix-not_sorted = 传入 `enforce_sorted=False`

finding-weight_mismatch-title = 损失的权重不匹配
finding-weight_mismatch =
    { error-shapes }{ $rule ->
        [weight] `{ $function }` 的 `{ $text }` 每个类别需要一个值。第 { NUMBER($line, useGrouping: 0) } 行有 { NUMBER($wanted, useGrouping: 0) } 个类别和 { NUMBER($size, useGrouping: 0) } 个值。
       *[pos_weight] `{ $function }` 的 `{ $text }` 必须能广播到输入的形状 `{ $wanted_shape }`：最后一维的每个标签一个值。第 { NUMBER($line, useGrouping: 0) } 行有 { NUMBER($wanted, useGrouping: 0) } 个标签和 { NUMBER($size, useGrouping: 0) } 个值。
    }{ error-caught }

finding-hook_refused-title = 这个钩子不能运行
finding-hook_refused =
    `{ $name }`（第 { NUMBER($hook_line, useGrouping: 0) } 行）接受 { $taken } 个参数，但 `{ $method }` 的钩子以 { $expected } 个参数调用：{ $given }。所以第 { NUMBER($line, useGrouping: 0) } 行运行钩子时报错。{ error-caught }
fix-take_inputs = 再接受参数 `inputs`

finding-parameter_groups-title = 不能这样组合这些参数
finding-parameter_groups =
    { $rule ->
        [added] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 是迭代器，不是列表，不能与 `{ $other }` 相加。把两者变成列表：`list(...) + list(...)`。
        [iterator] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 是迭代器，不是列表：它没有长度和下标，只能逐个遍历。`list({ $name })` 得到列表。
       *[twice] `{ $name }` 在第 { NUMBER($line, useGrouping: 0) } 行的优化器的两个参数组里：`{ $function }` 和 `{ $other }`。每个参数只能在一个组里；请从其中一组里去掉。
    }{ error-caught }
fix-list_both = 把两者变成列表
fix-list_them = 变成列表

finding-file_at_end-title = 从末尾读取缓冲区
finding-file_at_end = 第 { NUMBER($write_line, useGrouping: 0) } 行写入 `{ $name }`，位置停在末尾，所以第 { NUMBER($line, useGrouping: 0) } 行的 `torch.load` 没有可读的内容。请先调用 `{ $name }.seek(0)`。{ error-caught }
fix-seek_beginning = 回到开头：`seek(0)`

finding-no_item-title = 没有这一项
finding-no_item =
    { $rule ->
        [index] `{ $name }` 有 { $there } 个模块，从 0 开始数，所以没有第 { $asked } 项（第 { NUMBER($line, useGrouping: 0) } 行）。
        [key] `{ $name }` 没有键 `{ $asked }`（第 { NUMBER($line, useGrouping: 0) } 行）。它的键是：{ $there }。
       *[plain] `{ $name }` 是 `{ $type }`，不能用下标访问（第 { NUMBER($line, useGrouping: 0) } 行）。请对保存各层的属性取下标。
    }{ error-caught }
fix-use_key = 使用存在的键
