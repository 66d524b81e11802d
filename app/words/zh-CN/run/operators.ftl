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
