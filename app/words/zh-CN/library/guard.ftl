### `stepgrad.guard()` 发现的问题。

guard-overwritten =
    `{ $node }`{ $saved_line ->
        [empty] {""}
       *[other] （{ $saved_line }）
    }保存了一个张量（{ $slot ->
        [empty] {""}
       *[other] `{ $slot }`，
    }{ $tensor }）。反向传播使用它之前，它的字节变了，版本计数器却没有变，所以 torch 不会报错，算出的梯度是错的。请查找通过 `.data`、NumPy、DLPack、存储或编译代码的写入。
guard-outdated =
    { $node ->
        [empty] 它
       *[other] `{ $node }`
    }{ $saved_line ->
        [empty] {""}
       *[other] （{ $saved_line }）
    }{ $node ->
        [empty] 被保存
       *[other] 保存了它
    }{ $slot ->
        [empty] {""}
       *[other] （`{ $slot }`）
    }。它的版本计数器（与它的视图和基张量共用）从 { NUMBER($before, useGrouping: 0) } 变为 { NUMBER($after, useGrouping: 0) }。{ $optimizer ->
        [empty] {""}
       *[other] { $line } 的 `{ $optimizer }.step()` 写入了它。
    }
guard-recomputed =
    检查点{ $node ->
        [empty] {""}
       *[other] 为 `{ $node }`{" "}
    }重新计算了一个张量（{ $tensor }{ $saved_line ->
        [empty] {""}
       *[other] ，由 { $saved_line } 保存
    }），字节与第一次不同，所以梯度是错的。检查点读取的数据在反向传播之前变了，或者它依赖没有保存状态的随机数。
guard-non_finite =
    { $line ->
        [empty] {""}
       *[other] { $line } 的
    }反向传播之后，{ $name ->
        [empty] 一个叶子张量
       *[other] `{ $name }`{" "}
    }的梯度（{ $tensor }）含有{ $what ->
        [nan] {" "}NaN
       *[inf] 无穷大
    }{ $others ->
        [0] {""}
       *[other] ，另有 { NUMBER($others, useGrouping: 0) } 个梯度也是如此
    }。{ $loss ->
        [yes] 反向传播的起点也不是有限值。
       *[no] {""}
    }
guard-born =
    { $line ->
        [empty] {""}
       *[other] { $line } 的
    }{ $node ->
        [empty] {""}
       *[other] {" "}`{ $node }` 中的
    } `{ $operator }` 最先返回了{ $what ->
        [nan] {" "}NaN
       *[inf] 无穷大
    }。
guard-lesson = 课程：{ $address }
