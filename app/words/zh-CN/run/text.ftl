### 文字视图（网页与文字记录共用）：用文字说出图中所示。

text-storage = 存储 `{ $storage }`：{ $bytes }{ $device ->
        [cpu] 。
       *[other] ，位于 { $device }。
    }
text-storage-freed = 存储 `{ $storage }`，已释放。
text-storages = { $count } 个没有名字的存储，{ $bytes }，只由计算图引用。
text-storages-saved = 由 { $nodes } 保存。
text-storages-freed = { $count } 个存储，已释放。
text-all-freed = { $count } 个已释放的存储，已折叠。
text-all-freed-open = { $count } 个已释放的存储，每个都显示到其他存储占用它的行为止。
text-storages-stale = 其中 { $count } 个被节点保存后又被写入，已过期。
text-storages-new = 这一步又多了一些。
text-storages-open = 其中只由计算图引用的存储已逐个显示。
text-module = 已折叠：{ $held }，{ $bytes }。
text-module-open = 其中的参数在下方逐个显示。
text-module-written = 这一步写入：{ $names }。
text-module-new = 这一步新增：{ $names }。
text-module-read = 正在运行的节点读取：{ $names }。
text-row-taken =
    { $memory ->
        [new] 新内存，占用
       *[old] 占用
    }{ $other_is ->
        [kept] 如今只由计算图引用的 `{ $other }` 的行。
       *[freed] 已释放的 `{ $other }` 的行。
    }
text-others = 另有 { $count } 项在这一步没有变化。
text-more = 另有 { $count } 项。
text-tell-all = 全部显示
text-kept = 没有张量使用它；`{ $node }` 把它保存为 `{ $slot }`，仍在引用它。
text-numpy = { $count } 个 NumPy 数组（{ $names }）共用这块内存。
text-no-storage = torch 没有给出存储。
text-values = { $dtype } 值 `{ $values }`。
text-values-none = 没有字节。
text-values-unknown = 值未知。
text-values-hidden = 值未知：{ $reason }
text-summary = { $count } 个 { $dtype } 值，从 { $min } 到 { $max }，均值 { $mean }。
text-summary-odd = 非有限值：{ $nan } 个 nan，{ $inf } 个 inf。
text-written = 本步写入。
text-written-was = 本步写入，原值：`{ $values }`。
text-new = 本步新建。
text-now = 本步。
text-shared = { $count } 个张量共用它：{ $names }。
text-over = 与 `{ $other }` 使用同一段字节。
text-tensor = { $names }，{ $type }：
text-tensor-unnamed = 未命名的 { $type }，原先叫 { $names }：
text-geometry =
    形状 { $shape }，步长 { $stride }，存储偏移 { NUMBER($offset, useGrouping: 0) }，{ $dtype }{ $device ->
        [cpu] 。
       *[other] ，位于 { $device }。
    }
text-strideless =
    形状 { $shape }，{ $layout }，{ $dtype }{ $device ->
        [cpu] 。
       *[other] ，位于 { $device }。
    }
text-shapeless =
    { $layout }，没有记录形状，{ $dtype }{ $device ->
        [cpu] 。
       *[other] ，位于 { $device }。
    }
text-reads = 值是 { $value }。
text-clash = 维度 { NUMBER($dimension) } 不匹配：{ $actual } ≠ { $other }。
text-clash-dtype = dtype 不匹配：{ $actual } ≠ { $other }。
text-look-leaf = 需要梯度的叶子张量。
text-look-result = 需要梯度。
text-look-plain = 不需要梯度。
text-result = grad_fn 是 `{ $node }`。
text-version = 版本计数器在 `{ $version }`。
text-version-moved = 版本计数器在本步变为 `{ $version }`。
text-version-none = 没有版本计数器。
text-version-shared = 计数器与 { $names } 共用。
text-view = 是 `{ $base }` 的视图。
text-view-unnamed = 是一个未命名张量的视图。
text-grad = 梯度是 `{ $value }`，在 `{ $storage }` 中。
text-grad-none = 梯度是 `None`。
text-node = { $node }，第 { NUMBER($line, useGrouping: 0) } 行记录。
text-node-of = 是 { $names } 的 grad_fn。
text-node-active = 本步运行。
text-node-ran = 在这次反向传播中已运行。
text-node-new = 本步记录。
text-node-odd = 第一个由有限的梯度算出 `{ $value }` 的节点。
text-node-first-nan = 它的算子返回了本次运行的第一个 `{ $value }`。
text-node-freed = 已释放。
text-unreached = 没有梯度到达它。
text-unreached-leaf = 没有梯度到达 `{ $name }`，图中也没有它的节点。
text-unreached-others = 还有 { $count } 个叶子没有梯度到达。
text-node-cut = 第 { NUMBER($line, useGrouping: 0) } 行在这里切断了计算图。
text-next = 它的 `next_functions`：{ $next }。
text-saved-whole = 保存了 `{ $slot }`，在 `{ $storage }`，版本 `{ $version }`：
text-saved-unversioned = 保存了 `{ $slot }`，在 `{ $storage }`，没有版本：
text-saved-bare = 保存了 `{ $slot }`：
text-saved-is-current = 有效。
text-saved-is-stale = 已过期：保存之后被写入过。
text-saved-is-freed = 已释放。
text-saved-is-stale-freed = 节点运行时已过期，之后被释放。
text-saved-is-hidden = torch 没有给出。
text-root = 收到梯度 `{ $value }`，反向传播从这里开始。
text-sent = 把梯度 { $value } 传给了 { $to }。
text-sent-nowhere = 梯度 `{ $value }` 没有传给任何节点。
text-wrong = 它错了，却没有报错。
text-cells-wrong = 错了却没有报错：{ $count } 个正确的值是 `{ $values }`。
text-cells-wrong-many = { $all } 个值中有 { $count } 个错了却没有报错。
text-group-call = 函数 `{ $name }` 的一次调用。
text-group-module = 模块 `{ $name }`。
text-group-path = 由 `{ $name }` 持有。
text-group-round = 第 { NUMBER($line, useGrouping: 0) } 行循环的第 { NUMBER($round, useGrouping: 0) } 轮。
text-group-rounds = 第 { NUMBER($line, useGrouping: 0) } 行循环的第 { NUMBER($first, useGrouping: 0) } 至 { NUMBER($last, useGrouping: 0) } 轮。
text-group-line = 第 { NUMBER($line, useGrouping: 0) } 行记录的节点。
text-group-part = { $line ->
        [0] 第 { NUMBER($first, useGrouping: 0) } 至 { NUMBER($last, useGrouping: 0) } 个节点。
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行记录的第 { NUMBER($first, useGrouping: 0) } 至 { NUMBER($last, useGrouping: 0) } 个节点。
    }
text-group = 已折叠：{ $count } 个节点。
text-group-active = 其中一个在本步运行。
text-group-ran = 其中 { $ran } 个在这次反向传播中已运行。
text-group-new = 本步记录了其中一些。
text-group-stale = 其中有保存的张量过期了。
text-group-freed = 已释放。
