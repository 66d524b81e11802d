### 关于训练的发现：优化器持有什么、何时更新，层和钩子保留什么。
### 行号 0 表示未知。

finding-not_in_optimizer-title = 没有优化器使用的梯度
finding-not_in_optimizer =
    第 { NUMBER($backward_line, useGrouping: 0) } 行的反向传播给 `{ $name }`{ $others ->
        [0] {""}
       *[other] {" "}和另外 { NUMBER($others, useGrouping: 0) } 个张量
    }算出了梯度，但没有任何优化器持有{ $others ->
        [0] 它
       *[other] 它们
    }，所以每次更新都不会改变{ $others ->
        [0] 它
       *[other] 它们
    }。{ $how ->
        [collection] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $module }.parameters()` 不包含 `{ $attribute }` 里的模块和 Parameter，因为普通的列表或字典不会被注册。请用 `nn.ModuleList`、`nn.ModuleDict` 或 `nn.ParameterList`。
        [tensor] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $module }.parameters()` 不包含{ $others ->
            [0] 它
           *[other] 它们
        }，因为普通张量不是 Parameter。请用 `nn.Parameter`。
        [later] 第 { NUMBER($line, useGrouping: 0) } 行用 `{ $module }.parameters()` 创建优化器时，{ $others ->
            [0] 它
           *[other] 它们
        }还不存在。请在模型完整之后再创建优化器，或使用 `add_param_group`。
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $module }.parameters()` 不包含{ $others ->
            [0] 它
           *[other] 它们
        }，因为所在的模块没有在 `{ $module }` 中注册。
    }
fix-register_layers = 注册这些层：`ModuleList` 或 `ModuleDict`
fix-make_parameter = 改成 Parameter：`nn.Parameter`

finding-no_parameters-title = 模型没有 Parameter
finding-no_parameters =
    { $how ->
        [init] `{ $module }.parameters()` 是空的：`{ $type }` 没有 `__init__`，因为第 { NUMBER($written_line, useGrouping: 0) } 行把它写成了 `{ $written }`，Python 不会运行它。请在两边各写两个下划线。
        [collection] `{ $module }.parameters()` 是空的，尽管 `{ $name }` 需要梯度：它在普通的列表或字典里，不会被注册。请用 `nn.ModuleList` 或 `nn.ModuleDict`。
       *[tensor] `{ $module }.parameters()` 是空的，尽管 `{ $name }` 需要梯度：只有赋给属性的 Parameter 或模块才会被注册。请用 `nn.Parameter`。
    }第 { NUMBER($line, useGrouping: 0) } 行的优化器没有可更新的内容。{ error-caught }
fix-spell_init = 改名为 `__init__`

finding-zeroed_before_step-title = 梯度在更新之前被清零
finding-zeroed_before_step = 第 { NUMBER($backward_line, useGrouping: 0) } 行的反向传播算出梯度，第 { NUMBER($zero_line, useGrouping: 0) } 行的 `zero_grad()` 又把梯度清除，所以第 { NUMBER($line, useGrouping: 0) } 行的 step 没有梯度可用，什么也不改变。请在反向传播之前或 step 之后调用 `zero_grad()`。
fix-zero_after_step = 在 step 之后调用 `zero_grad()`

finding-clipped_after_step-title = 梯度在更新之后才被裁剪
finding-clipped_after_step = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 在第 { NUMBER($step_line, useGrouping: 0) } 行的 step 之后，而 step 已经用了未裁剪的梯度，之后也没有 step 使用裁剪后的梯度。请在反向传播与 step 之间裁剪。
fix-clip_before_step = 在 step 之前裁剪

finding-eaten_activation-title = 激活值被原地覆盖
finding-eaten_activation =
    第 { NUMBER($line, useGrouping: 0) } 行运行了{ $layer ->
        [none] 带 `inplace=True` 的层
       *[other] 带 `inplace=True` 的 `{ $layer }`（第 { NUMBER($flag_line, useGrouping: 0) } 行）
    }：其中的 `{ $operator }` 覆盖了 `{ $name }`。{ $how ->
        [kept] 所以 `{ $name }` 现在是这一层之后的值，而不是之前的值。
       *[skip] 第 { NUMBER($reader_line, useGrouping: 0) } 行仍要读取 `{ $name }`，得到的是这一层之后的值，而不是之前的值。
    }请用 `inplace=False`。
fix-not_in_place = 使用 `inplace=False`

finding-hooked_in_place-title = 原地操作的层与完整反向钩子
finding-hooked_in_place =
    第 { NUMBER($hook_line, useGrouping: 0) } 行注册的完整反向钩子（full backward hook）使模块的输入或输出成为不能原地修改的视图，而{ $layer ->
        [none] 带 `inplace=True` 的层
       *[other] 带 `inplace=True` 的 `{ $layer }`（第 { NUMBER($flag_line, useGrouping: 0) } 行）
    }在第 { NUMBER($line, useGrouping: 0) } 行要修改它。请用 `inplace=False`。{ error-caught }

finding-moving_batch_norm-title = 已冻结的 批归一化 的统计量仍在变化
finding-moving_batch_norm = 第 { NUMBER($frozen_line, useGrouping: 0) } 行关闭了 `{ $module }` 的 `requires_grad`，但其中的 批归一化 仍处于训练模式：第 { NUMBER($line, useGrouping: 0) } 行的前向传播改变了 `{ $name }` 和 `running_var`。`{ $module }.eval()` 会保持它们不变。
fix-eval_frozen = 切换到评估模式：`eval()`

# 结束关于非有限梯度的发现。
error-remedy =
    { $origin ->
        [none] {""}
       *[other] 最早的这类值来自第 { NUMBER($origin_line, useGrouping: 0) } 行的 `{ $origin }`。
    }{ $remedy ->
        [where] 请让这个分支的参数也保持在有效范围内：`torch.where(ok, f(torch.where(ok, x, 1)), other)`。
        [root] 平方根在 0 处的导数是无穷大。请在根号下加一个小数，例如 `1e-12`。
        [power] 底数为 0 时，这个幂的导数不是有限的。请让底数大于 0，例如用 `clamp(min=1e-12)`。
        [std] 所有值相等时，`std` 为 0，它的导数不是有限的。请用 `var`，或 `(x.var() + 1e-12).sqrt()`。
        [log] 0 的对数是 `-inf`，负数的对数是 NaN。请让参数大于 0，例如用 `clamp(min=1e-12)`，或使用 `log_softmax`、`logsigmoid`。
        [division] 这里除以 0。请给除数加一个小数。
        [arc] `acos` 和 `asin` 在 1 和 -1 处的导数是无穷大。请让参数保持在区间内，例如用 `clamp(-1 + 1e-6, 1 - 1e-6)`。
        [exp] `exp` 的结果超出 dtype 的范围。请先减去最大值，或使用 `logsumexp`、`softmax`。
       *[none] {""}
    }

finding-live_module-title = 模型的另一个名字，不是副本
finding-live_module = 第 { NUMBER($line, useGrouping: 0) } 行让 `{ $name }` 成为 `{ $model }` 的另一个名字，没有复制任何内容。所以第 { NUMBER($write_line, useGrouping: 0) } 行也改变了 `{ $name }` 的权重。
fix-copy_module = 保存副本：`copy.deepcopy`

finding-embedding_index-title = 下标超出嵌入层的范围
finding-embedding_index = `{ $indices }` 含有下标 { NUMBER($index, useGrouping: 0) }，但 `{ $module }`（第 { NUMBER($made_line, useGrouping: 0) } 行）只有 { NUMBER($rows, useGrouping: 0) } 行数据：第 { NUMBER($line, useGrouping: 0) } 行只接受 0 到 { NUMBER($last, useGrouping: 0) } 的下标。`Embedding` 的第一个参数是行数。{ error-caught }

finding-kept_on_ctx-title = 保存在 `ctx` 上的张量在反向传播之前被修改
finding-kept_on_ctx = 第 { NUMBER($line, useGrouping: 0) } 行把 `{ $given }` 存为 `{ $kept }`，autograd 不会检查它。第 { NUMBER($write_line, useGrouping: 0) } 行原地修改了它，所以第 { NUMBER($reader_line, useGrouping: 0) } 行的 backward 读到的是新值。用 `ctx.save_for_backward({ $given })`，autograd 就会检查它。
fix-clone_on_ctx = 保存副本：`.clone()`

finding-none_grad-title = 梯度是 None
finding-none_grad =
    第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }.grad` 是 None{ $called ->
        [none] {""}
       *[other] （这里的 `{ $name }` 就是 `{ $called }`）
    }：{ $how ->
        [frozen] `{ $name }`（第 { NUMBER($by_line, useGrouping: 0) } 行）不需要梯度，反向传播不会给它存梯度。
        [turned_off] 第 { NUMBER($by_line, useGrouping: 0) } 行把它的 `requires_grad` 设为 False，而此前反向传播没有给它存过梯度。
        [zero_grad] 第 { NUMBER($by_line, useGrouping: 0) } 行的 `zero_grad` 把它设为 None，之后反向传播还没有给它存过梯度。
        [cleared] 第 { NUMBER($by_line, useGrouping: 0) } 行把它设为 None，之后反向传播还没有给它存过梯度。
       *[unreached] 在这一行之前，还没有反向传播给 `{ $name }`{ $by_line ->
            [0] {""}
           *[other] （第 { NUMBER($by_line, useGrouping: 0) } 行）
        }存过梯度。
    }{ error-caught }
fix-skip_none_grad = `.grad` 是 None 时跳过

finding-hidden_state-title = 初始状态的形状不对
finding-hidden_state =
    { error-shapes }对于这个输入，第 { NUMBER($line, useGrouping: 0) } 行的 `{ $module }`（`{ $layer }`）需要形状为 `{ $wanted }` 的状态：{ $rule ->
        [batch] 它的第 1 维是批次大小，而输入的第 { $at } 维是 { NUMBER($batch, useGrouping: 0) }。
        [batch_first] 即使有 `batch_first=True`，它的第 0 维也是层数乘方向数，第 1 维才是批次大小。
        [layers] 它的第 0 维是 `{ $module }` 的层数乘方向数，即 { NUMBER($layers, useGrouping: 0) }。
        [hidden] 它的最后一维是隐藏大小 { NUMBER($hidden, useGrouping: 0) }。
        [cell] 输入的批次大小（如果有），以及隐藏大小 { NUMBER($hidden, useGrouping: 0) }。
       *[dimensions] 依次是层数乘方向数、{ $batch ->
            [0] {""}
           *[other] 批次大小、
        }隐藏大小。
    }{ error-caught }

finding-gradient_count-title = `backward` 返回的梯度个数不对
finding-gradient_count =
    调用 `{ $forward }` 时有 { NUMBER($inputs, useGrouping: 0) } 个输入（`{ $names }`），而 `{ $function }` 在第 { NUMBER($return_line, useGrouping: 0) } 行返回 { NUMBER($returned, useGrouping: 0) } 个梯度，所以第 { NUMBER($line, useGrouping: 0) } 行的反向传播报错。请按相同的顺序为每个输入返回一个梯度{ $missing ->
        [none] 。
       *[other] ，不需要梯度的输入（这里是 `{ $missing }`）返回 `None`。
    }
fix-none_for_inputs = 为不需要梯度的输入返回 `None`

finding-gradient_shape-title = 梯度的形状不对
finding-gradient_shape =
    { $how ->
        [hook] 钩子
       *[backward] `{ $function }` {""}
    }在第 { NUMBER($return_line, useGrouping: 0) } 行返回形状为 `{ $shape }` 的 `{ $given }`，作为 `{ $name }` 的梯度，而这个梯度的形状应该是 `{ $wanted }`，所以第 { NUMBER($line, useGrouping: 0) } 行的反向传播报错。{ $how ->
        [hook] 钩子必须返回形状相同的梯度，或者什么也不返回。
       *[backward] 梯度的形状必须与输入相同。
    }

finding-einsum_mismatch-title = `einsum` 的下标与形状不匹配
finding-einsum_mismatch =
    { $rule ->
        [size] { error-shapes }在第 { NUMBER($line, useGrouping: 0) } 行的 `einsum` 中，下标 `{ $letter }` 对应 `{ $left }` 的第 { $left_at } 维和 `{ $right }` 的第 { $right_at } 维，所以两者的大小必须相等或为 1，但分别是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
        [repeated] `{ $left }` 的形状是 `{ $left_shape }`。在第 { NUMBER($line, useGrouping: 0) } 行的 `einsum` 中，下标 `{ $letter }` 对应它的第 { $left_at } 维和第 { $right_at } 维，所以两者的大小必须相等，但分别是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
        [result] 第 { NUMBER($line, useGrouping: 0) } 行的 `einsum` 在 `->` 之后写了下标 `{ $letter }`，但没有操作数含有它：`{ $term }`。
       *[count] `{ $left }` 的形状是 `{ $left_shape }`，有 { $dimensions } 维，但第 { NUMBER($line, useGrouping: 0) } 行的 `einsum` 给了它 { $letters } 个下标{ $letters ->
            [0] {""}
           *[other] （`{ $term }`）
        }。每一维需要一个下标。
    }{ error-caught }

finding-attention_mismatch-title = 注意力的 query、key 和 value 形状不匹配
finding-attention_mismatch =
    { error-shapes }{ $rule ->
        [embedding] 第 { NUMBER($line, useGrouping: 0) } 行要把每个 query 与每个 key 相乘，所以两者最后一维的大小必须相同，但分别是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
        [length] 第 { NUMBER($line, useGrouping: 0) } 行的每个 key 对应一个 value，所以两者倒数第二维的大小必须相同，但分别是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
       *[batch] 在第 { NUMBER($line, useGrouping: 0) } 行，最后两维之前的维是批次维，大小必须相等或为 1。第 { $at } 维的大小分别是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
    }{ error-caught }

finding-index_beyond-title = 下标超出范围
finding-index_beyond =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] （{ $left_from ->
            [made] 第
           *[view] 来自第
        } { NUMBER($left_line, useGrouping: 0) } 行）
    }的形状是 `{ $left_shape }`。{ $rule ->
        [count] 第 { NUMBER($line, useGrouping: 0) } 行给了 { $indices } 个下标，但它{ $dimensions ->
            [0] 没有维：用 `.item()` 读取它的数值
           *[other] 只有 { $dimensions } 维
        }。
        [held] `{ $right }` 含有下标 { NUMBER($index, useGrouping: 0) }，但第 { $at } 维的大小是 { NUMBER($size, useGrouping: 0) }{ $size ->
            [0] {""}
           *[other] ，第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 只接受 0 到 { NUMBER($last, useGrouping: 0) } 的下标
        }。
        [negative] 第 { NUMBER($line, useGrouping: 0) } 行在第 { $at } 维用了下标 { NUMBER($index, useGrouping: 0) }，但这一维的大小是 { NUMBER($size, useGrouping: 0) }{ $size ->
            [0] {""}
           *[other] ，从末尾数的下标是 -1 到 -{ NUMBER($size, useGrouping: 0) }
        }。
       *[number] 第 { NUMBER($line, useGrouping: 0) } 行在第 { $at } 维用了下标 { NUMBER($index, useGrouping: 0) }，但这一维的大小是 { NUMBER($size, useGrouping: 0) }{ $size ->
            [0] {""}
           *[other] ，下标从 0 到 { NUMBER($last, useGrouping: 0) }
        }。
    }{ error-caught }

finding-gather_mismatch-title = 下标张量的形状不匹配
finding-gather_mismatch =
    { error-shapes }{ $rule ->
        [count] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 要求两者的维数相同，但分别是 { $left_size } 和 { $right_size }。
        [vector] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要一维的下标，而这里是 { $right_size } 维。
       *[larger] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 沿第 { $dimension } 维进行，下标张量只有在这一维可以更大。第 { $at } 维的大小分别是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
    }{ error-caught }

finding-read_while_written-title = 写入时读到了已经改变的元素
finding-read_while_written = 第 { NUMBER($line, useGrouping: 0) } 行原地写入 `{ $name }`，同时又从同一块内存读取 `{ $read }`。有些元素在改变之后才被读取，所以结果与用第 { NUMBER($line, useGrouping: 0) } 行之前的值算出的结果不同。PyTorch 不检查这一点。请读取一份副本：`{ $read }.clone()`。
