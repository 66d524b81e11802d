### 运行到结束却没有做到原意的事：迭代器、钩子、优化器、模式、数据。

finding-not_called-title = 方法没有被调用
finding-not_called = 第 { NUMBER($line, useGrouping: 0) } 行只写了 `{ $method }`，没有调用它：缺少括号，所以什么也不会发生。请写成 `{ $method }()`。
fix-call_method = 补上括号

finding-never_stepped-title = 优化器从未更新
finding-never_stepped =
    { $backwards } 次反向传播为 `{ $name }`{ $others ->
        [0] {""}
       *[other] {" "}和 `{ $optimizer }` 的另外 { NUMBER($others, useGrouping: 0) } 个 Parameter
    }计算了梯度，但 `{ $optimizer }.step()` 从未被调用，所以{ $others ->
        [0] 它
       *[other] 它们
    }没有变化。请在每次反向传播之后调用它。

finding-optimizer_made_again-title = 每次都新建优化器
finding-optimizer_made_again =
    第 { NUMBER($line, useGrouping: 0) } 行运行了 { $runs } 次，每次都为同样的 Parameter（如 `{ $name }`）新建一个 `{ $function }`。新的优化器没有前一个优化器的状态，例如以往梯度的平均值。{ $how ->
        [single] 每个优化器只更新一次，所以以往的梯度从未用上。
       *[several] 这些状态每次都会丢失。
    }请只创建一次优化器。如果只想改变学习率，请用 `torch.optim.lr_scheduler` 中的调度器。

finding-shared_by_optimizers-title = 两个优化器持有相同的 Parameter
finding-shared_by_optimizers = `{ $one }`（第 { NUMBER($one_line, useGrouping: 0) } 行）和 `{ $other }`（第 { NUMBER($other_line, useGrouping: 0) } 行）持有相同的 Parameter（如 `{ $name }`），轮流更新它们。如果 `{ $other }` 本来用于另一个模型，请传入那个模型的 `parameters()`。

finding-exhausted_iterator-title = 迭代器已经取空
finding-exhausted_iterator = `{ $name }`（第 { NUMBER($made_line, useGrouping: 0) } 行）是迭代器，每个元素只给出一次。第 { NUMBER($first_line, useGrouping: 0) } 行之前已经取完所有元素，所以现在第 { NUMBER($line, useGrouping: 0) } 行一个也取不到。请保存为列表：`list(...)`。
fix-list_elements = 把元素存成列表

finding-hook_without_return-title = 钩子没有返回值
finding-hook_without_return =
    `{ $function }`（第 { NUMBER($hook_line, useGrouping: 0) } 行注册）在第 { NUMBER($line, useGrouping: 0) } 行算出了新的 `{ $name }`，但没有返回它，所以{ $what ->
        [output] 输出
        [input] 输入
       *[gradient] 梯度
    }保持不变。钩子必须返回要用来替换的值。
fix-return_from_hook = 从钩子中返回它

finding-divided_again-title = 同一份数据被除了两次
finding-divided_again =
    第 { NUMBER($line, useGrouping: 0) } 行对 `{ $name }` 做原地除法，而{ $source ->
        [none] {""}
       *[other] {" "}`{ $source }` 的
    }这些元素之前已经除过一次。原地除法改变的是数据本身，不是副本，所以每次都会再除一遍。请对副本做除法，或事先只除一次。
fix-divide_a_copy = 对副本做除法：`.clone()`

finding-evaluated_in_training_mode-title = 在训练模式下评估
finding-evaluated_in_training_mode =
    第 { NUMBER($line, useGrouping: 0) } 行在不计算梯度的情况下运行 `{ $model }`，但它处于训练模式，{ $how ->
        [dropout] 所以 dropout 仍会把随机元素置 0
       *[norm] 所以批归一化使用这个批次的统计量，并改变 `{ $name }`
    }。`no_grad()` 不会改变模式。评估前请调用 `{ $model }.eval()`，评估后再调用 `{ $model }.train()`。

finding-trained_in_eval_mode-title = 在评估模式下训练
finding-trained_in_eval_mode =
    第 { NUMBER($eval_line, useGrouping: 0) } 行为评估调用了 `eval()`，之后没有再调用 `train()`。所以从下一轮起，第 { NUMBER($line, useGrouping: 0) } 行在评估模式下训练 `{ $model }`：{ $how ->
        [dropout] dropout 不起作用
       *[norm] 批归一化使用运行统计量，并且不再更新它们
    }。请在继续训练之前调用 `{ $model }.train()`。

finding-dropout_in_eval-title = `eval()` 关不掉的 dropout
finding-dropout_in_eval =
    { $how ->
        [made] 第 { NUMBER($line, useGrouping: 0) } 行每次调用都新建一个 dropout 模块，而新模块处于训练模式。所以第 { NUMBER($eval_line, useGrouping: 0) } 行的 `{ $model }.eval()` 影响不到它，它仍会随机丢弃元素。请在 `__init__` 中创建它。
       *[function] 在第 { NUMBER($eval_line, useGrouping: 0) } 行的 `{ $model }.eval()` 之后，第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 仍会随机丢弃元素：它的参数 `training` 默认为 `True`，不随模块改变。请传入 `training=self.training`。
    }
fix-pass_training = 传入 `training=self.training`

finding-constant_term-title = 损失中有一项没有梯度
finding-constant_term = 第 { NUMBER($sum_line, useGrouping: 0) } 行求和中的 `{ $term }` 没有计算图。{ error-cut_off }因此对第 { NUMBER($line, useGrouping: 0) } 行的反向传播来说它是常数：它改变损失的数值，但不改变任何梯度。

finding-never_reached-title = 损失不依赖的 Parameter
finding-never_reached =
    { $how ->
        [all] `{ $optimizer }` 在第 { NUMBER($line, useGrouping: 0) } 行更新，但没有一次反向传播为它的任何 Parameter（如 `{ $name }`）计算过梯度，所以更新不会改变任何东西。损失不依赖它们。
       *[some] `{ $optimizer }` 持有 `{ $name }`{ $others ->
            [0] {""}
           *[other] {" "}和另外 { NUMBER($others, useGrouping: 0) } 个 Parameter
        }，但没有一次反向传播为{ $others ->
            [0] 它
           *[other] 它们
        }计算过梯度，所以任何一次更新都不会改变{ $others ->
            [0] 它
           *[other] 它们
        }。做过反向传播的损失都不依赖{ $others ->
            [0] 它
           *[other] 它们
        }。
    }

finding-fresh_layer-title = 每次前向传播都新建一层
finding-fresh_layer = 第 { NUMBER($line, useGrouping: 0) } 行在每次前向传播中都新建一个 `{ $layer }`。它的权重每次都是新的，也没有优化器持有它们，所以它们从未得到训练。请在 `__init__` 中只创建一次。

finding-softmax_dimension-title = 概率沿错误的维度计算
finding-softmax_dimension = 第 { NUMBER($line, useGrouping: 0) } 行的损失把每一行当作一个样本，但第 { NUMBER($applied_line, useGrouping: 0) } 行的 `log_softmax` 沿第 0 维计算，所以每一列的概率之和为 1，而不是每一行。请使用 `dim=1`。

finding-repeated_index-title = 重复的下标只算一次
finding-repeated_index = `{ $index }` 中下标 { NUMBER($repeated, useGrouping: 0) } 出现了不止一次。第 { NUMBER($line, useGrouping: 0) } 行先读出 `{ $name }[{ $index }]`，相加后再写回：同一个元素有多个结果时，只保留其中一个。请使用 `index_add_`，或带 `accumulate=True` 的 `index_put_`。

finding-module_flag-title = 这个属性没有冻结任何东西
finding-module_flag =
    { $how ->
        [tensor] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $flag }` 不是 PyTorch 的属性：它只是给 `{ $owner }` 添加了一个新属性，`{ $owner }.requires_grad` 保持不变。正确的名字是 `requires_grad`。
       *[module] `{ $owner }` 是一个模块。第 { NUMBER($line, useGrouping: 0) } 行只是给它添加了属性 `{ $flag }`，它的 Parameter 的 `requires_grad` 保持不变。请使用 `{ $owner }.requires_grad_({ $wanted })`。
    }
fix-set_flag = 使用 `requires_grad_`
