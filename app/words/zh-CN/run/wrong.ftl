### 运行不报错、但计算的不是本意的内容。

finding-rebound_parameter-title = 没有被改变的 Parameter
finding-rebound_parameter = 第 { NUMBER($line, useGrouping: 0) } 行让变量 `{ $variable }` 指向一个新张量 `{ $value }`，并没有写入它原来指向的 Parameter（例如 `{ $name }`），而新张量没有被读取，所以这一行不起作用。要改变 Parameter 本身，请在 `torch.no_grad()` 下把值复制进去：`{ $variable }.copy_(...)`。

finding-loaded_nothing-title = 什么也没有加载的 state dict
finding-loaded_nothing =
    第 { NUMBER($line, useGrouping: 0) } 行没有改变 `{ $module }` 的任何 Parameter：{ $state ->
        [none] 这个 state dict
       *[other] `{ $state }` {""}
    }的键没有一个是 `{ $module }` 中的名字，而 `strict=False` 会跳过不匹配的键，不报错。{ $entry ->
        [none] {""}
       *[other] state dict 中有 `{ $entry }`，模块中是 `{ $name }`。
    }请比较这些键，并去掉 `module.` 之类的前缀。

finding-gradient_ignored-title = 没有使用传入梯度的 `backward`
finding-gradient_ignored = `{ $function }.backward`（第 { NUMBER($method_line, useGrouping: 0) } 行）没有使用 `{ $parameter }`，即损失对其输出的梯度。按链式法则，结果必须乘以它。在第 { NUMBER($line, useGrouping: 0) } 行的反向传播中这个梯度不是 1，所以 `{ $function }` 之后的所有梯度都是错的。

finding-without_keepdim-title = 缺少 `keepdim=True`
finding-without_keepdim = `{ $part }`（第 { NUMBER($reduced_line, useGrouping: 0) } 行）沿维度 { NUMBER($dimension, useGrouping: 0) } 归约 `{ $whole }`，形状是 `{ $reduced_shape }`。广播从右边对齐形状，所以在第 { NUMBER($line, useGrouping: 0) } 行，它的元素对应的不是 `{ $whole }`（形状 `{ $shape }`）中用来计算它们的那些元素。加上 `keepdim=True` 就会对应。
fix-keepdim = 加上 `keepdim=True`

finding-loss_values-title = 损失函数不接受的值
finding-loss_values =
    `{ $given }` 中有 { $value }，而第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 需要{ $rule ->
        [log] 对数概率，它不会大于 0。请先对分数做 `log_softmax`。
        [probability] 0 和 1 之间的目标。其他目标会使它小于 0，且没有最小值。
       *[sign] 值为 1 或 -1 的目标。
    }

finding-vanished_gradient-title = 始终为 0 的梯度
finding-vanished_gradient =
    { $how ->
        [product] 第 { NUMBER($maker_line, useGrouping: 0) } 行乘积的一个因子{ $by ->
            [none] {""}
           *[other] {" "}`{ $by }` {""}
        }全是 0，所以另一个因子的梯度是 0
       *[range] 第 { NUMBER($maker_line, useGrouping: 0) } 行的 `{ $how }` 不传递梯度：每个得到梯度的值都在它为常数的区间内
    }。因此第 { NUMBER($line, useGrouping: 0) } 行的每次反向传播给 `{ $name }` 的梯度全是 0，任何 step 都不会改变它。{ $others ->
        [0] {""}
       *[other] 另外 { NUMBER($others, useGrouping: 0) } 个 Parameter 也是如此。
    }{ $how ->
        [product] 请用随机值初始化权重，不要用 0。
       *[range] {""}
    }

finding-unchanged_step-title = `step()` 没有改变任何 Parameter
finding-unchanged_step =
    `{ $optimizer }` 的最后 { $steps } 次 step（第 { NUMBER($line, useGrouping: 0) } 行）没有改变 `{ $name }`{ $others ->
        [0] {""}
       *[other] {" "}和另外 { NUMBER($others, useGrouping: 0) } 个 Parameter
    }，虽然 `{ $name }` 的梯度不是 0。{ $rate ->
        [zero] 第 { NUMBER($maker_line, useGrouping: 0) } 行的学习率是 0。
       *[unknown] 每次更新都是 0，或者太小，改变不了这个 dtype 的值。请检查学习率和它的调度。
    }
fix-learning_rate = 使用默认学习率 1e-3

finding-growing_loss-title = 损失每一步都在变大
finding-growing_loss =
    第 { NUMBER($line, useGrouping: 0) } 行的{ $name ->
        [none] 损失
       *[other] { " " }`{ $name }` {""}
    }在 `{ $optimizer }` 的 { $steps } 步中每一步都变大，从 { $first } 到 { $last }。{ $rate ->
        [unknown] 学习率
       *[other] 学习率 { $rate }（第 { NUMBER($rate_line, useGrouping: 0) } 行）
    }很可能太大：每一步都越过最小值，走完后离它比走之前更远。
fix-lower_rate = 使用较小的学习率

finding-without_backward-title = `step` 之前没有反向传播
finding-without_backward = `{ $optimizer }` 执行了 { $steps } 次 step，但没有运行过反向传播，所以它的 Parameter（例如 `{ $name }`）没有梯度，第 { NUMBER($line, useGrouping: 0) } 行的 step 什么也不改变。请在它之前对损失调用 `backward()`。

finding-growing_graph-title = 每一轮都变大的计算图
finding-growing_graph = 第 { NUMBER($line, useGrouping: 0) } 行的反向传播保留计算图，并且每次都再次经过之前的所有轮：第一轮运行 { $first } 个节点，最后一轮运行 { $last } 个。某个从一轮传到下一轮的张量仍与之前各轮相连。如果只需要当前一轮，请在每轮开始时对它调用 detach，并去掉 `retain_graph=True`。

finding-after_loop-title = 循环之后的反向传播
finding-after_loop = 循环计算了 { $rounds } 次 `{ $name }`（第 { NUMBER($maker_line, useGrouping: 0) } 行），而第 { NUMBER($line, useGrouping: 0) } 行的反向传播在循环之后：它只用到最后一个 `{ $name }`，其余的没有反向传播。请把反向传播移到循环内，或把这些损失相加。

finding-uninitialized-title = 未初始化的值
finding-uninitialized = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $maker }` 只分配内存，保留其中原有的内容，而在前向传播使用 `{ $name }` 之前没有写入过它。它的值是任意的，可能是 NaN。请初始化它，例如用 `torch.nn.init` 中的函数。

finding-implicit_dimension-title = 没有 `dim` 的 `{ $function }`
finding-implicit_dimension = 第 { NUMBER($line, useGrouping: 0) } 行调用 `{ $function }` 时没有给出 `dim`。`{ $given }`（形状 `{ $shape }`）有三个维度，这时沿维度 0 计算，于是不同样本的值之和为 1。请给出维度，通常是 `dim=-1`。
fix-last_dimension = 使用最后一个维度：`dim=-1`

finding-permuted_by_view-title = `view` 不会移动维度
finding-permuted_by_view = `{ $name }` 的形状是 `{ $shape }`，第 { NUMBER($line, useGrouping: 0) } 行把它变成形状 `{ $new_shape }`：大小相同，次序不同。`view` 和 `reshape` 保持元素的次序，只是重新划分，所以不同样本和通道的行会混在一起。要移动维度，请用 `permute({ $order })`。

finding-last_of_batch-title = 取到的是最后一个样本，不是最后一步
finding-last_of_batch = `{ $layer }`（第 { NUMBER($layer_line, useGrouping: 0) } 行）创建时没有 `batch_first=True`，所以它把输入的维度 0 当作时间，维度 1 当作批次。`{ $name }` 的形状是 `{ $shape }`，第 { NUMBER($line, useGrouping: 0) } 行的 `{ $piece }` 取的是每个时间步中批次的最后一个样本。如果输入的维度 0 是批次，请用 `batch_first=True` 创建这一层；否则请取 `{ $name }[-1]`。
fix-batch_first = 用 `batch_first=True` 创建这一层
