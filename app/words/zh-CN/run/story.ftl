### 一步做了什么，用句子说出来。

## 刚刚发生了什么。反引号标出代码；`S4` 是存储，`v1` 是版本，`[1.]` 是梯度。

story-title = 第 { NUMBER($step, useGrouping: 0) } 步：刚刚发生了什么
story-nothing = 这一步没有改变图中的任何内容。
story-else = 还发生了什么（{ NUMBER($count, useGrouping: 0) }）

## 下面的句子里用到的词组

phrase-code = `{ $text }`
phrase-once = 原先叫 `{ $name }` 的张量
phrase-unnamed = 一个未命名的张量
phrase-more = 另外 { $count } 个
phrase-node =
    { $line ->
        [0] {""}
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行的{" "}
    }`{ $node }`
phrase-nodes =
    { $count ->
        [1] `{ $node }`
       *[other] { NUMBER($count, useGrouping: 0) } 个 `{ $node }`
    }
phrase-saved =
    `{ $slot }`{ $version ->
        [-1] {""}
       *[other] （版本 `v{ NUMBER($version, useGrouping: 0) }`）
    }
phrase-gradient = 梯度 `{ $value }`
phrase-gradient-shape =
    { $shape ->
        [scalar] 一个标量梯度
       *[other] 形状为 { $shape } 的梯度
    }
phrase-gradient-unknown = 一个值未知的梯度
phrase-gradients = 梯度 { $values } 之和
phrase-gradients-count = { $count } 个梯度之和
phrase-device =
    { $device ->
        [cpu] {""}
       *[other] ，位于 `{ $device }`
    }
phrase-grad-of = { $whose } 的 `grad`
phrase-its-grad = 它的 `grad`

## 程序本身：调用、变量、输出、异常

story-raised = 第 { NUMBER($line, useGrouping: 0) } 行抛出 `{ $type }`：{ $message }
story-raised-bare = 第 { NUMBER($line, useGrouping: 0) } 行抛出 `{ $type }`。
story-raised-through = 第 { NUMBER($line, useGrouping: 0) } 行的调用抛出 `{ $type }`。
story-raised-within = `{ $function }` 在第 { NUMBER($line, useGrouping: 0) } 行抛出 `{ $type }`，这条语句因此中断。
traceback = Python 的回溯（traceback）
traceback-part = 只记录了你的代码里的调用。Python 还会打印各个库内部的调用，以及引发此异常的另一个异常。
fault-syntax = 第 { NUMBER($line, useGrouping: 0) } 行不是合法的 Python：{ $message }
story-suppressed = `suppress` 捕获了第 { NUMBER($line, useGrouping: 0) } 行的 `{ $type }`。程序从 `with` 语句块之后继续运行。
story-way-there = 调用过程：{ $calls }。
phrase-call = 第 { NUMBER($line, useGrouping: 0) } 行调用 `{ $name }`
phrase-more-calls = 另外 { NUMBER($count, useGrouping: 0) } 次调用
story-called =
    { $again ->
        [yes] { $line ->
            [0] 反向传播启动或恢复运行 `{ $name }`。
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行启动或恢复运行 `{ $name }`。
        }
       *[no] { $line ->
            [0] 反向传播调用 `{ $name }`。
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行调用 `{ $name }`。
        }
    }
story-returned =
    从 `{ $name }` 回到{ $line ->
        [0] 反向传播
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }。
story-holds-value = `{ $name }` 现在是 `{ $text }`。
story-holds-collection =
    `{ $name }` 现在是一个{ $count ->
        [0] 空的 `{ $type }`。
       *[other] {" "}`{ $type }`，共 { NUMBER($count, useGrouping: 0) } 项。
    }
story-holds-array = `{ $name }` 现在是一个 NumPy 数组：`{ $text }`。
story-holds-function = 定义了函数 `{ $name }`；调用它时才会运行其中的代码。
story-holds-class = 定义了类 `{ $name }`。
story-holds-module = `{ $name }` 现在指模块 `{ $text }`。
story-imported = 导入了 `{ $name }`。
story-holds-object = `{ $name }` 现在是一个 `{ $type }` 对象。
story-more-variables = 还有 { $count } 个变量被赋值。
story-native-output = 由原生代码在运行期间写出；何时写出、写到 stdout 还是 stderr，均不可知。
story-printed =
    { $count ->
        [1] 输出了 `{ $text }`。
       *[other] 输出了 { NUMBER($count, useGrouping: 0) } 行；第一行是 `{ $text }`。
    }
story-pointer =
    `{ $number }` 是 { $names }，即存储 `{ $storage }` 的{ $byte ->
        [0] 第一个字节
       *[other] 第 { NUMBER($byte, useGrouping: 0) } 字节（从 0 数起）
    }。
story-pointer-byte =
    `{ $number }` 是存储 `{ $storage }` 的{ $byte ->
        [0] 第一个字节
       *[other] 第 { NUMBER($byte, useGrouping: 0) } 字节（从 0 数起）
    }。
story-pointer-id = `{ $number }` 是 `{ $name }`，即这个 Python 对象。
story-warned = 发出 `{ $category }`：{ $text }

## 沙箱中的替代：标签和说明

mode-compile = 以 eager 方式运行
mode-compile-means = `torch.compile` 的函数在这里以 eager 方式运行，因为运行时不能启动编译器。编译后的代码舍入可能不同，报错也可能不同。
mode-workers = 无工作进程
mode-workers-means = DataLoader 在主进程中加载批次，因为运行时不能启动其他进程。如果数据集使用随机数或读取 `get_worker_info()`，批次可能不同。
mode-process_group = 单个 rank
mode-process_group-means = 这个进程组只有一个 rank，也不打开套接字，因为运行时没有网络。每个集合操作都返回它的输入。

## 张量：新建的、共用的、名字

story-new =
    `{ $name }` 是一个新的{ $shape ->
        [scalar] 标量{""}
       *[other] {""}
    }{ $look ->
        [leaf] 张量（需要梯度的叶子）
       *[other] 张量
    }{ $shape ->
        [scalar] {""}
        [none] ，形状没有记录
       *[other] ，形状 { $shape }
    }{ phrase-device }，使用独立的存储 `{ $storage }`。
story-new-view =
    `{ $name }` 是一个新的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，是 { $base } 的视图，在存储 `{ $storage }` 中。
story-new-bare =
    `{ $name }` 是一个新的{ $shape ->
        [none] 张量；没有记录它的形状和存储。
        [scalar] 标量张量；torch 没有给出它的存储。
       *[other] 张量，形状 { $shape }；torch 没有给出它的存储。
    }
story-transformed =
    `{ $name }` 是 `torch.func` 变换中的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }：在 `vmap` 里，它同时代表每个样本各自的这样一个张量。
story-same-bytes = `{ $storage }` 与 `{ $other }` 是同一段内存上的两个存储：写入其中一个，另一个也会变。
story-row-taken =
    `{ $storage }` { $memory ->
        [new] 是新内存，在图中占用
       *[old] 从现在起显示，占用
    }{ $other_is ->
        [kept] 如今只由计算图引用的 `{ $other }` 的行。
       *[freed] 已释放的 `{ $other }` 的行。
    }
story-rows-taken-more = 另有 { $count } 个存储显示在其他存储原来的行中。
story-there-before = 录制开始之前就已存在：{ $names }。
story-first-seen =
    `{ $name }` 在这里第一次被看到：它是一个{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 形状为 { $shape } 的张量
    }，位于存储 `{ $storage }` 中。
story-renamed = `{ $name }` 是 `{ $other }` 的另一个名字：同一个张量，不是副本。
story-named =
    { $line ->
        [0] `{ $name }` 现在指向一个已有的张量。
       *[other] `{ $name }` 现在指向第 { NUMBER($line, useGrouping: 0) } 行创建的张量。
    }
story-shares =
    `{ $name }` 是一个新的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }{ $view ->
        [yes] ，是 { $base } 的视图
       *[no] {""}
    }，与 `{ $other }` 共用存储 `{ $storage }`。
story-counter-shared = `{ $name }` 与 `{ $other }` 共用一个版本计数器：对任何一个原地写入，计数器都会增加。
story-counter-own = 但 `{ $name }` 有自己的版本计数器：写入它，`{ $other }` 的计数器不会增加。
story-counter-none = `{ $name }` 在推理模式下创建，没有版本计数器。
story-counter-unknown = 不知道 `{ $name }` 是否与别的张量共用版本计数器。
story-more-tensors = 还有 { $count } 个张量有了名字。
story-numpy = NumPy 数组 `{ $name }` 与存储 `{ $storage }` 共用内存：写入一方，另一方也会变；NumPy 的写入不会增加版本计数器。
story-unbound = 已没有变量引用原来的 `{ $name }`，但它还未释放。
story-freed =
    存储 { $storages } { $count ->
        [1] 已被释放
       *[other] 都已被释放
    }：不再有张量使用。
story-nodes-freed = 计算图中有 { NUMBER($count, useGrouping: 0) } 个节点被释放：不再被引用。

## 写入与版本计数器

story-wrote =
    { $operator ->
        [none] 有值
       *[other] `{ $operator }`
    } 通过 { $name } 写入了存储 `{ $storage }`{ $to ->
        [none] 。
       *[other] ：`{ $from }` 变成了 `{ $to }`。
    }
story-wrote-from = 写入它的是第 { NUMBER($line, useGrouping: 0) } 行。
story-wrote-same = 存储 `{ $storage }` 被写入，但值没有变。
story-wrote-unnamed = 写入了 { NUMBER($count, useGrouping: 0) } 个未命名的存储。
story-more-writes = 还写入了 { NUMBER($count, useGrouping: 0) } 个存储。
story-wrote-numpy = 存储 `{ $storage }` 的字节在 torch 之外被改动；NumPy 数组 `{ $name }` 与它共用内存。
story-wrote-behind = 存储 `{ $storage }` 的字节在 torch 之外被改动。
story-wrote-over = 存储 `{ $storage }` 与 `{ $other }` 使用同一段字节，所以它也变了。
story-wrote-thread = 另一个线程运行期间，存储 `{ $storage }` 的字节变了。
story-wrote-unseen = 存储 `{ $storage }` 的字节变了；不知道是通过哪个张量。
story-resized =
    存储 `{ $storage }` 现在有 { $to }，原来{ $from ->
        [none] 是空的。
       *[other] 有 { $from }。
    }
story-emptied = 存储 `{ $storage }` 释放了内存，原来有 { $from }。
story-put-elsewhere = torch 把存储 `{ $storage }` 的字节移到了另一个地址。
story-other-storage =
    { $name } 现在使用存储 `{ $storage }`，不再使用 `{ $old }`{ $count ->
        [0] 。
       *[other] ；{ $names } 仍使用 `{ $old }`。
    }
story-requires-grad = { $name } 现在需要梯度：只要梯度模式开着，autograd 就会记录对它的运算。
story-requires-no-grad = { $name } 不再需要梯度。
story-tangent =
    { $name } 带有前向模式的切线{ $value ->
        [none] ，形状 { $shape }。
       *[other] {" "}`{ $value }`。
    }
story-reads-too =
    { $names } 也{ $count ->
        [1] {""}
       *[other] 都
    }使用 `{ $storage }`，所以值也变了。
story-reads-too-value = `{ $name }` 也使用 `{ $storage }`，所以值现在是 `{ $value }`。
story-reads-elsewhere = `{ $name }` 使用 `{ $storage }` 的其他元素，所以它的值没有变。
story-moved =
    { $count ->
        [1] { $names } 的版本计数器
       *[other] { $names } 共用的版本计数器
    }{ $from ->
        [-1] 现在是 `v{ NUMBER($to, useGrouping: 0) }`。
       *[other] 从 `v{ NUMBER($from, useGrouping: 0) }` 变为 `v{ NUMBER($to, useGrouping: 0) }`。
    }
story-still =
    { $names } 的版本计数器仍是 `v{ NUMBER($to, useGrouping: 0) }`：{ $why ->
        [unseen] torch 没有发现这次写入。
        [over] 这次写入通过存储 `{ $over }`，其张量有自己的计数器。
        [none] 这次写入不会增加计数器。
       *[other] 这次写入通过 { $through }，它有自己的计数器。
    }

## autograd 记录和保存了什么

story-recorded =
    { $hooked ->
        [yes] autograd 记录了 { $nodes }。
       *[no] { $count ->
            [1] autograd 记录了 { $nodes }，它没有保存任何张量。
           *[other] autograd 记录了 { $nodes }，它们没有保存任何张量。
        }
    }
story-recorded-saved =
    autograd { $module ->
        [none] {""}
       *[other] 在模块 `{ $module }` 中{""}
    }记录了 { $count ->
        [1] `{ $node }`
       *[other] { NUMBER($count, useGrouping: 0) } 个 `{ $node }`
    }，{ $count ->
        [1] 它
       *[other] 它们各自
    }为反向传播保存了 { $saved }。
story-recorded-packed =
    autograd { $module ->
        [none] {""}
       *[other] 在模块 `{ $module }` 中{""}
    }记录了 { $count ->
        [1] `{ $node }`
       *[other] { NUMBER($count, useGrouping: 0) } 个 `{ $node }`
    }。saved tensor 钩子接过了 { $saved }：torch 保留的是钩子返回的内容。
story-next-each = 它们各自的 `next_functions`：{ $next }。
story-more-nodes = 还记录了 { NUMBER($count, useGrouping: 0) } 个节点。
story-stale =
    { $node } 保存的 { $saved } 已过期：{ $noticed ->
        [yes] 它的版本计数器已经变了，反向传播用到它时 torch 会报错。
       *[no] 它的字节变了，版本计数器却没有变，所以 torch 不会发现。
    }
story-recording-again = 梯度模式又打开了：autograd 会记录运算。

## 算子

story-operator = 运行了算子 `{ $operator }`。
story-first-nan = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $operator }` 返回了本次运行的第一个 `nan`。
story-operator-of = 运行了算子 `{ $operator }`，它是 { $node } 的一部分。
story-made =
    创建了一个未命名的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，在新的存储 `{ $storage }` 中{ $value ->
        [none] 。
       *[other] ：`{ $value }`。
    }
story-made-earlier =
    一个未命名的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量（形状 { $shape }）
    }在这里第一次被看到，位于存储 `{ $storage }` 中。
story-made-on =
    创建了一个未命名的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，{ $other ->
        [none] 使用存储 `{ $storage }`。
       *[other] 与 `{ $other }` 共用存储 `{ $storage }`。
    }
story-made-without-grad =
    这条语句中的调用先关闭了梯度模式，再创建 { $names }，所以{ $count ->
        [1] 它
       *[other] 它们
    }没有 `grad_fn`。
story-made-bare = 创建了一个未命名的张量；torch 没有给出它的存储。

## 单独的表达式

story-result-value = 结果是 `{ $text }`。
story-result-named =
    结果是 `{ $name }`{ $value ->
        [none] 。
       *[other] ：`{ $value }`。
    }
story-result-tensor =
    结果是一个{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，位于存储 `{ $storage }` 中{ $other ->
        [none] {""}
       *[other] ，与 `{ $other }` 共用
    }{ $value ->
        [none] 。
       *[other] ：`{ $value }`。
    }
story-result-bare =
    结果是一个{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }{ $value ->
        [none] 。
       *[other] ：`{ $value }`。
    }

## 注册钩子

story-hook =
    在 { $name } 上注册了一个钩子：反向传播会以 { $name } 的梯度调用{ $function ->
        [none] 它
       *[other] {" "}`{ $function }`
    }。如果钩子返回张量，它会取代这个梯度。
story-hook-accumulated =
    在 { $name } 上注册了一个钩子：反向传播累加到 { $grad } 之后，会以 { $name } 调用{ $function ->
        [none] 它
       *[other] {" "}`{ $function }`
    }。
story-retain = 反向传播会把 { $name } 的梯度保存在 { $grad } 中，虽然 { $name } 不是叶子。
story-retain-leaf = { $name } 是叶子：不调用 `retain_grad()`，反向传播也会把它的梯度保存在 { $grad } 中。
story-more-hooks = 还注册了 { NUMBER($count, useGrouping: 0) } 个钩子。

## 反向传播

story-node = { $node } 收到 { $value }。
story-sent =
    它把 { $value } 传给了 { $nodes ->
        [1] { $to }
       *[other] { $nodes } 个节点：{ $to }
    }{ $times ->
        [1] 。
       *[other] ，共 { $times } 次。
    }
story-sent-leaf =
    它把 { $value } 传给了 { $name } 的 `AccumulateGrad`{ $times ->
        [1] 。
       *[other] ，共 { $times } 次。
    }
story-sent-more = 它还传出了 { $count } 个梯度。
story-sent-nothing = 它没有传出梯度。
story-sent-broken = 它没有传出梯度：反向传播在这里因异常中断。
story-zero = 从这里开始，梯度处处为零。
story-zero-to = 它传给 { $names } 的梯度处处为零。
story-on-the-way = 它调用了 { $names }。
story-released = 它保存的张量已释放：{ $saved }。
story-kept = 它保存的张量被保留，供下一次反向传播使用。
story-accumulate = { $name } 的 `AccumulateGrad` 收到 { $value }。
story-accumulate-hooked = 钩子把它改成了 `{ $value }`。
story-vanished =
    它的最大绝对值 { $size } 不到 { $name } 收到的 { $largest } 的 1/1000。这次反向传播中之后到达叶子的梯度也都这么小。
story-accumulate-none = { $name } 的 `AccumulateGrad` 没有收到梯度，所以没有累加。
story-accumulate-frozen = { $name } 已不再需要梯度，所以没有累加。
story-backward = 反向传播完成：运行了 { NUMBER($count, useGrouping: 0) } 个节点。
story-backward-leaves = 反向传播完成：运行了 { NUMBER($count, useGrouping: 0) } 个节点，梯度到达 { $names }。
story-grad-new =
    创建了 { $name }{ $value ->
        [none] { $shape ->
            [none] ，在存储 `{ $storage }` 中。
            [scalar] ，在存储 `{ $storage }` 中。
           *[other] ，形状 { $shape }，在存储 `{ $storage }` 中。
        }
       *[other] ：`{ $value }`，在存储 `{ $storage }` 中。
    }
story-grad-now =
    { $value ->
        [none] { $name } 有了新的值。
       *[other] { $from ->
            [none] { $name } 现在是 `{ $value }`。
           *[other] { $name } 从 `{ $from }` 变为 `{ $value }`。
        }
    }
story-grad-added =
    { $name } { $added ->
        [none] { $value ->
            [none] 有了新的值
           *[other] 现在是 `{ $value }`
        }
       *[other] 现在是 `{ $from }` + `{ $added }` = `{ $value }`
    }：反向传播把新的梯度累加到了它原有的值上。
story-grad-zeroed =
    { $name } 被置零{ $from ->
        [none] 。
       *[other] ；之前是 `{ $from }`。
    }
story-grad-other =
    { $value ->
        [none] { $name } 现在是另一个张量，在存储 `{ $storage }` 中。
       *[other] { $name } 现在是另一个张量：`{ $value }`，在存储 `{ $storage }` 中。
    }
story-grad-none = { $name } 被设为 `None`。
story-more-grads = 还有 { NUMBER($count, useGrouping: 0) } 个梯度变了。

## 所选内容的存储由谁持有。`count`：列出的使用者或名称的个数

held-by =
    { $count ->
        [0] `{ $storage }` 有 { $size }。没有张量使用它。
       *[other] `{ $storage }` 有 { $size }。使用它的有 { $names }。
    }
held-shared =
    { $count ->
        [0] 没有别的张量使用 `{ $storage }`。
       *[other] 它与 { $names } 共享 `{ $storage }`。
    }
held-same = { $names } 是同一个张量。
held-array = NumPy 数组 `{ $name }`
held-unnamed = { $count } 个没有名称的张量
held-over = 这些字节也属于 `{ $storage }`。
held-saved =
    { $count ->
        [0] { $nodes } 为反向传播保存了它。
       *[other] { $nodes } 为反向传播保存了它，在 { $names } 的计算图里。
    }
