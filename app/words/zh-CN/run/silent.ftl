### 关于训练不报错、但结果不是本意的发现。

finding-untrained_parameter-title = 梯度到不了的 Parameter
finding-untrained_parameter =
    `{ $optimizer }` 持有 `{ $name }`，但没有任何反向传播计算它的梯度，所以第 { NUMBER($line, useGrouping: 0) } 行的 step 不会改变它。{ error-cut_off }{ $others ->
        [0] {""}
       *[other] 另外 { NUMBER($others, useGrouping: 0) } 个 Parameter 也是如此。
    }

finding-zero_gradient-title = `{ $function }` 不传递梯度
finding-zero_gradient =
    `{ $function }`（第 { NUMBER($maker_line, useGrouping: 0) } 行）的导数在有定义的地方都是 0，而第 { NUMBER($line, useGrouping: 0) } 行的反向传播只经过它到达 `{ $name }`，所以这次反向传播为 `{ $name }` 算出的梯度全是 0。{ $others ->
        [0] {""}
       *[other] 另外 { NUMBER($others, useGrouping: 0) } 个叶子张量也是如此。
    }直通估计（straight-through estimator）`x + ({ $function }(x) - x).detach()` 会把梯度传回去。

finding-constant_gradient-title = 没有计算图的梯度
finding-constant_gradient =
    第 { NUMBER($grad_line, useGrouping: 0) } 行的 `torch.autograd.grad` 没有 `create_graph=True`，所以 `{ $gradient }` 没有计算图。{ $how ->
        [inner] 第 { NUMBER($use_line, useGrouping: 0) } 行从 `{ $name }` 中减去它，第 { NUMBER($line, useGrouping: 0) } 行的反向传播经过这一步时把它当作常数，所以 `{ $name }.grad` 不含二阶项。如果想要的就是一阶梯度，请写明 `create_graph=False`。
       *[term] 它依赖 `{ $name }`，但在 `{ $root }` 中是常数：第 { NUMBER($line, useGrouping: 0) } 行的反向传播不会经过它计算梯度。
    }

finding-kept_weights-title = 保留的权重跟着模型变化
finding-kept_weights = `{ $name }`（第 { NUMBER($maker_line, useGrouping: 0) } 行）不是副本：它与 `{ $weight }` 共用内存。第 { NUMBER($write_line, useGrouping: 0) } 行的 step 同时改变了两者，所以在第 { NUMBER($line, useGrouping: 0) } 行两者的值相同。
fix-clone_weights = 保存副本：`.detach().clone()`

finding-softmax_twice-title = { $again ->
        [log] 需要对数概率的地方得到了概率
       *[other] 需要 logits 的地方得到了概率
    }
finding-softmax_twice =
    第 { NUMBER($line, useGrouping: 0) } 行的{ $loss ->
        [none] 损失函数
       *[other] {" "}`{ $loss }` {""}
    }{ $again ->
        [log] 需要对数概率，而它的输入是第 { NUMBER($applied_line, useGrouping: 0) } 行 `{ $applied }` 的结果，即概率本身。请用 `log_softmax`。
       *[other] 会对输入做 `{ $again }`，而这个输入已经是第 { NUMBER($applied_line, useGrouping: 0) } 行 `{ $applied }` 的结果，值都在 0 和 1 之间，所以即使预测全部正确，损失也远大于 0。请把 `{ $applied }` 之前的值传给它。
    }
fix-log_softmax = 使用 `log_softmax`
fix-logits = 把 logits 传给损失函数
