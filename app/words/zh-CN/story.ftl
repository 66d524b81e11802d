### 一步做了什么，用句子说出来。

## 刚刚发生了什么。反引号标出代码；`S4` 是存储，`v1` 是版本，`[1.]` 是梯度。

story-title = 第 { NUMBER($step, useGrouping: 0) } 步：刚刚发生了什么
story-nothing = 这一步与张量无关。

## 下面的句子里用到的词组

phrase-code = `{ $text }`
phrase-once = 曾叫 `{ $name }` 的那个张量
phrase-unnamed = 一个没有名字的张量
phrase-more = 另外 { $count } 个
phrase-node =
    { $line ->
        [0] {""}
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行的{" "}
    }`{ $node }`
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
phrase-gradient-unknown = 一个数值未知的梯度
phrase-gradients = 由 autograd 相加的梯度 { $values }
phrase-gradients-count = 由 autograd 相加的 { $count } 个梯度
phrase-grad-of = { $whose } 的 `grad`

## 程序本身：调用、变量、输出、异常

story-raised = 第 { NUMBER($line, useGrouping: 0) } 行抛出了 `{ $type }`：{ $message }
story-raised-bare = 第 { NUMBER($line, useGrouping: 0) } 行抛出了 `{ $type }`。
story-raised-through = `{ $type }` 从第 { NUMBER($line, useGrouping: 0) } 行的调用里传了出来。
story-raised-within = `{ $function }` 在第 { NUMBER($line, useGrouping: 0) } 行抛出 `{ $type }`，这条语句因此中断。
story-way-there = 调用过程：{ $calls }。
phrase-call = 第 { NUMBER($line, useGrouping: 0) } 行调用 `{ $name }`
phrase-more-calls = 另外 { NUMBER($count, useGrouping: 0) } 次调用
story-called =
    { $again ->
        [yes] { $line ->
            [0] 反向传播让 `{ $name }` 继续运行。
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行让 `{ $name }` 继续运行。
        }
       *[no] { $line ->
            [0] 反向传播调用了 `{ $name }`。
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行调用了 `{ $name }`。
        }
    }
story-returned =
    { $line ->
        [0] `{ $name }` { $again ->
            [yes] 交还控制
           *[no] 运行完毕
        }，反向传播继续。
       *[other] `{ $name }` { $again ->
            [yes] 交还控制
           *[no] 运行完毕
        }，第 { NUMBER($line, useGrouping: 0) } 行继续。
    }
story-holds-value = `{ $name }` 现在是 `{ $text }`。
story-holds-collection =
    `{ $name }` 现在是一个{ $count ->
        [0] 空的 `{ $type }`。
       *[other] {" "}`{ $type }`，共 { NUMBER($count, useGrouping: 0) } 项。
    }
story-holds-array = `{ $name }` 现在是一个 NumPy 数组：`{ $text }`。
story-holds-function = 定义了函数 `{ $name }`；调用它时才会运行其中的代码。
story-holds-class = 定义了类 `{ $name }`。
story-holds-module = 模块 `{ $text }` 从这里起叫做 `{ $name }`。
story-imported = 导入了 `{ $name }`。
story-holds-object = `{ $name }` 现在是一个 `{ $type }` 对象。
story-more-variables = 还有 { $count } 个变量得到了值。
story-printed =
    { $count ->
        [1] 输出了 `{ $text }`。
       *[other] 输出了 { NUMBER($count, useGrouping: 0) } 行；第一行是 `{ $text }`。
    }
story-warned = 发出了警告 `{ $category }`：{ $text }

## 张量：新建的、共用的、名字

story-new =
    `{ $name }` 是一个新的{ $shape ->
        [scalar] 标量{""}
       *[other] {""}
    }{ $look ->
        [leaf] 叶子张量，需要梯度
       *[other] 张量
    }{ $shape ->
        [scalar] {""}
        [none] ，torch 不说出它的形状
       *[other] ，形状 { $shape }
    }{ $device ->
        [cpu] {""}
       *[other] ，位于 `{ $device }`
    }，有自己的存储 `{ $storage }`。
story-new-bare =
    `{ $name }` 是一个新张量{ $shape ->
        [none] ；torch 不说出它的形状，也不显示它的存储。
        [scalar] ，只有一个数；torch 不显示它的存储。
       *[other] ，形状 { $shape }；torch 不显示它的存储。
    }
story-same-bytes = `{ $storage }` 与 `{ $other }` 是同一片内存字节上的两个存储：一个写入的，另一个也读到。
story-renamed = `{ $name }` 是 `{ $other }` 的另一个名字：同一个张量，不是副本。
story-named =
    { $line ->
        [0] `{ $name }` 现在指向一个早已存在的张量。
       *[other] `{ $name }` 现在指向第 { NUMBER($line, useGrouping: 0) } 行产生的张量。
    }
story-shares =
    `{ $name }` 是一个新的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，但没有新内存：{ $view ->
        [yes] 它是 { $base } 的视图，和 `{ $other }` 一样看着 `{ $storage }`。
       *[no] 它和 `{ $other }` 一样看着 `{ $storage }`。
    }
story-counter-shared = `{ $name }` 与 `{ $other }` 共用版本计数器：通过任何一个写入，两个都算数。
story-counter-own = 但 `{ $name }` 有自己的版本计数器：通过它写入，不会动到 `{ $other }` 的计数器。
story-counter-none = `{ $name }` 在推理模式下产生，没有版本计数器。
story-counter-unknown = `{ $name }` 是否共用版本计数器，无从得知。
story-more-tensors = 还有 { $count } 个张量有了名字。
story-numpy = NumPy 数组 `{ $name }` 和 `{ $storage }` 上的张量是同一块内存：从任何一边写入，两边都能看到，而 NumPy 的写入不会改动版本计数器。
story-unbound = 不再有名字指向原来的 `{ $name }`，但这个张量还在。
story-freed =
    { $count ->
        [1] 存储 { $storages } 被释放了：再没有谁看着它。
       *[other] 存储 { $storages } 被释放了：再没有谁看着它们。
    }
story-nodes-freed = 计算图中有 { NUMBER($count, useGrouping: 0) } 个结点被释放：不再有什么通向那里。

## 写入与版本计数器

story-wrote =
    { $operator ->
        [none] 有值
       *[other] `{ $operator }`
    } 通过 { $name } 写入了存储 `{ $storage }`{ $to ->
        [none] 。
       *[other] ：`{ $from }` 变成了 `{ $to }`。
    }
story-wrote-same = 存储 `{ $storage }` 被写入，但值和原来的相同。
story-wrote-unnamed = 写入了 { NUMBER($count, useGrouping: 0) } 个没有名字指向的存储。
story-more-writes = 还写入了 { NUMBER($count, useGrouping: 0) } 个存储。
story-wrote-numpy = 存储 `{ $storage }` 的字节绕过 torch 被改动了：NumPy 数组 `{ $name }` 就是同一块内存。
story-wrote-behind = 存储 `{ $storage }` 的字节在 torch 不知情时变了。
story-wrote-over = 存储 `{ $storage }` 与 `{ $other }` 在同一片字节上，所以它也变了。
story-wrote-thread = 存储 `{ $storage }` 的字节在另一个线程运行期间变了。
story-wrote-unseen = 存储 `{ $storage }` 的字节变了；没有看到是通过哪个张量。
story-resized = 存储 `{ $storage }` 现在有 { $to }，原来有 { $from }。
story-emptied = 存储 `{ $storage }` 交还了内存，原来有 { $from }。
story-put-elsewhere = torch 把存储 `{ $storage }` 的字节移到了内存的别处。
story-other-storage =
    { $name } 现在看的是存储 `{ $storage }`，不再是 `{ $old }`{ $count ->
        [0] 。
       *[other] ；{ $names } 看的仍是 `{ $old }`。
    }
story-requires-grad = { $name } 从现在起需要梯度：用它算出来的东西会被记录。
story-requires-no-grad = { $name } 不再需要梯度了。
story-reads-too =
    { $count ->
        [1] { $names } 也看着 `{ $storage }`，所以它读到的也是新值。
       *[other] { $names } 也看着 `{ $storage }`，所以它们读到的也是新值。
    }
story-reads-too-value = `{ $name }` 也看着 `{ $storage }`，所以它现在读到 `{ $value }`。
story-reads-elsewhere = `{ $name }` 看着 `{ $storage }` 的其他元素，所以它读到的没有变。
story-moved =
    { $count ->
        [1] { $names } 的版本计数器
       *[other] { $names } 共用一个版本计数器，它
    }{ $from ->
        [-1] 现在是 `v{ NUMBER($to, useGrouping: 0) }`。
       *[other] 从 `v{ NUMBER($from, useGrouping: 0) }` 变为 `v{ NUMBER($to, useGrouping: 0) }`。
    }
story-still =
    { $names } 的版本计数器仍是 `v{ NUMBER($to, useGrouping: 0) }`：{ $why ->
        [unseen] torch 没有看到这次写入。
        [over] 这次写入经过存储 `{ $over }`，那里的张量有自己的计数器。
        [none] 这次写入不动计数器。
       *[other] 这次写入通过的是 { $through }，它有自己的计数器。
    }

## autograd 记录和保存了什么

story-recorded =
    { $count ->
        [1] autograd 记录了 { $nodes }，它没有保存任何张量。
       *[other] autograd 记录了 { $nodes }，它们没有保存任何张量。
    }
story-recorded-saved =
    autograd { $module ->
        [none] {""}
       *[other] 在模块 `{ $module }` 中{""}
    }记录了 `{ $node }`，它为反向传播保存了 { $saved }。
story-more-nodes = 还记录了 { NUMBER($count, useGrouping: 0) } 个结点。
story-stale =
    { $node } 保存的 { $saved } 已过期：{ $noticed ->
        [yes] 它的版本计数器在保存之后动过，torch 将拒绝使用它。
       *[no] 它的字节变了，版本计数器却没有动，所以 torch 不会察觉。
    }
story-recording-again = 求导模式又打开了：autograd 会记录。

## 算子

story-operator = 运行了算子 `{ $operator }`。
story-operator-of = 运行了算子 `{ $operator }`，它是 { $node } 的一部分。
story-made =
    它产生了一个没有名字的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，在新的存储 `{ $storage }` 中{ $value ->
        [none] 。
       *[other] ：`{ $value }`。
    }
story-made-on =
    它产生了一个没有名字的张量{ $shape ->
        [none] {""}
        [scalar] ，是标量
       *[other] ，形状 { $shape }
    }，{ $other ->
        [none] {""}
       *[other] 和 `{ $other }` 一样
    }看着 `{ $storage }`。
story-made-bare = 它产生了一个没有名字的张量，torch 不显示它的存储。

## 反向传播

story-node = { $node } 收到 { $value }。
story-sent =
    它把 { $value } 传给了 { $to }{ $times ->
        [1] 。
       *[other] ，共 { $times } 次。
    }
story-sent-leaf =
    它把 { $value } 传给了 { $name } 的 `AccumulateGrad`{ $times ->
        [1] 。
       *[other] ，共 { $times } 次。
    }
story-sent-more = 它还往下传了 { $count } 个梯度。
story-sent-nothing = 它没有再往下传。
story-sent-broken = 它没有再往下传：反向传播在这里中断了。
story-on-the-way = 途中它调用了 { $names }。
story-released = 它保存的已经放开：{ $saved }。
story-kept = 它保存的张量留着，供下一次反向传播使用。
story-accumulate = { $name } 的 `AccumulateGrad` 收到 { $value }。
story-accumulate-none = { $name } 的 `AccumulateGrad` 没有收到梯度，所以什么也没有累加。
story-accumulate-frozen = { $name } 已不再需要梯度，所以什么也没有累加。
story-backward = 反向传播结束：运行了 { NUMBER($count, useGrouping: 0) } 个结点。
story-backward-leaves = 反向传播结束：运行了 { NUMBER($count, useGrouping: 0) } 个结点，梯度到达了 { $names }。
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
        [none] { $name } 中有了新的值。
       *[other] { $from ->
            [none] { $name } 现在是 `{ $value }`。
           *[other] { $name } 从 `{ $from }` 变为 `{ $value }`。
        }
    }
story-grad-other =
    { $value ->
        [none] { $name } 现在是另一个张量，在存储 `{ $storage }` 中。
       *[other] { $name } 现在是另一个张量：`{ $value }`，在存储 `{ $storage }` 中。
    }
story-grad-none = { $name } 现在是 `None`。
story-more-grads = 还有 { NUMBER($count, useGrouping: 0) } 个梯度变了。
