# 一个值为什么是这样：从选中的东西一直追到它的来处。
why = 为何？
why-means = 显示这个值从哪里来（Shift+y）
why-close = 关闭说明
why-go = 转到第 { NUMBER($step, useGrouping: 0) } 步
why-value = `{ $name }` 为什么是 { $value }？
why-none = `{ $name }` 为什么是 `None`？
why-accumulated =
    { $times ->
        [1] 它的 AccumulateGrad 收到了{ $value }。
       *[other] 它的 AccumulateGrad 运行了 { $times } 次，每次都累加梯度。
    }
why-sent = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $node }` 送出了{ $value }。
# 元素很多时：形状和最大的绝对值。
why-gradient = 形状为 { $shape } 的梯度，max |x| = { $size }
why-root = 反向传播从{ $value }开始。
why-several = 这个节点收到 { $count } 个梯度，autograd 把它们相加。
why-outputs = 这个节点有多个输出，一共收到 { $count } 个梯度。
# 和的一部分从哪里来。
why-from = 来自第 { NUMBER($line, useGrouping: 0) } 行的 `{ $node }`
why-from-root = 来自反向传播的起点
why-follow = 沿着这一部分往回追
why-follows = 下面沿着第 { $part } 部分（共 { $count } 部分）往回追。
why-more = … 还有 { $count } 环
why-more-parts = … 还有 { $count } 个
why-stale = `{ $name }` 保存时是 { $before }。之后第 { NUMBER($line, useGrouping: 0) } 行把它改成了 { $after }。
why-made =
    { $operator ->
        [none] 第 { NUMBER($line, useGrouping: 0) } 行创建了 `{ $name }`：{ $value }。
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行用 `{ $operator }` 创建了 `{ $name }`：{ $value }。
    }
why-written = 之后第 { NUMBER($line, useGrouping: 0) } 行写入了 `{ $name }` 的存储。
why-inputs = 它由这些值算出：
why-none-plain = `{ $name }` 不需要梯度（requires_grad 为 False）。
why-none-result = `{ $name }` 不是叶子。反向传播只保留叶子的梯度，除非事先调用 `{ $name }.retain_grad()`。
why-none-reset = 第 { NUMBER($line, useGrouping: 0) } 行把它设成了 `None`。
why-none-unused = 到目前为止，没有被记录的运算用过 `{ $name }`，所以梯度到不了它。
why-none-before = 到目前为止，反向传播还没有到过 `{ $name }`。
why-unknown = 记录里看不出它从哪里来。
