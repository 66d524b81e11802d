### 故事上方的一行：这次运行的摘要。`summary-<kind>`：如何结束；然后是发现的最重要的问题。每一部分都是跳到相应步骤的按钮。
### 行号 0 表示未知，步号 0 表示没有可以查看的步骤。

summary = 这次运行：{ $parts }
summary-place = { $step ->
        [0] {""}
       *[other] 第 { NUMBER($step, useGrouping: 0) } 步
    }{ $line ->
        [0] {""}
       *[other] { $step ->
            [0] {""}
           *[other] ，
        }第 { NUMBER($line, useGrouping: 0) } 行
    }

# `found`：除此之外发现了什么。
summary-finished =
    { $found ->
        [none] 运行完毕，没有需要提醒的问题
        [unknown] 运行完毕，未能全部检查
       *[some] 运行完毕
    }
summary-raised = { summary-place } { $type }：{ $message }
summary-raised-why = { summary-place } { $type }：{ $why }
summary-exited = { summary-place }自行退出，退出码 { $code }
summary-stopped = { summary-place }停止：达到{ $limit ->
        [statements] 语句数上限
       *[steps] 步数上限
    }
summary-timed_out = { summary-place }停止：达到{ $clock ->
        [cpu] 处理器时间上限
       *[wall] 时长上限
    }
summary-out_of_memory = { summary-place }内存不足
summary-output_too_large = { summary-place }停止：输出太多
summary-trace_too_large = { summary-place }停止：记录太大
summary-cancelled = { summary-place }按要求停止
summary-worker_stopped = { summary-place }工作机停止
summary-crashed = { summary-place }因 { $name } 崩溃
summary-interfered = 只记录到第 { NUMBER($step, useGrouping: 0) } 步：代码干扰了记录

summary-silent =
    { $effect ->
        [counted] { NUMBER($count, useGrouping: 0) } 个梯度出错而没有报错
        [wrong] 有梯度出错而没有报错
        [same] 一次写入没有改变任何梯度
       *[unknown] 可能有梯度出错而没有报错
    }：第 { NUMBER($step, useGrouping: 0) } 步
summary-warnings = { $title }{ $more ->
        [0] {""}
       *[other] ，还有 { NUMBER($more, useGrouping: 0) } 个警告
    }：第 { NUMBER($step, useGrouping: 0) } 步
summary-substituted =
    { $what ->
        [compile] `torch.compile` 以 eager 方式运行
        [workers] DataLoader 不用工作进程
       *[process_group] 进程组只有一个 rank
    }{ $more ->
        [0] { "" }
       *[other] ，另有 { $more } 处
    }：第 { NUMBER($step, useGrouping: 0) } 步
summary-hints = { NUMBER($count, useGrouping: 0) } 个提示：第 { NUMBER($step, useGrouping: 0) } 步

summary-vanished = 梯度最先在 { $name } 处消失：第 { NUMBER($step, useGrouping: 0) } 步
summary-nan = `{ $operator }` 返回了第一个 `nan`：第 { NUMBER($step, useGrouping: 0) } 步
from-start = 从第 1 行看起

## 图中还没有内容时的话。

not-yet =
    { $picture ->
        [graph] 还没有记录任何节点。
       *[memory] 还没有张量有名称。
    }
begins = 第一个：第 { NUMBER($step, useGrouping: 0) } 步

## 一次运行为什么没有记录任何节点，怎样才会记录。`name`：需要梯度的张量；"none"：它没有名称。

graph-empty =
    { $why ->
        [no-tensor] 没有运算记录节点：这次运行里没有张量。
        [none-requires] 没有运算记录节点：没有张量需要梯度。用 `requires_grad=True` 创建一个，autograd 就会记录由它算出的内容。
       *[not-used] 没有运算记录节点：在梯度模式开启时，没有由{ $name ->
            [none] 需要梯度的张量
           *[other] {" "}`{ $name }`（需要梯度）
        }算出任何可微的结果。
    }

## 每个浏览器的第一次运行时显示一次：哪个键做什么

hint-step = 下一步
hint-line = 下一行
hint-warning = 警告
hint-help = 全部按键
hint-touch = 左右滑动，逐步查看

## 图中的简短文字：收起的模块，以及原属其他存储的行。

storages-role =
    { $role ->
        [parameter] { $count } 个参数
        [buffer] { $count } 个缓冲区
        [gradient] { $count } 个梯度
        [state] 优化器的 { $count } 个张量
       *[other] { $count } 个其他张量
    }
row-taken =
    { $memory ->
        [new] 新的，占用 { $other } 的行
       *[old] 占用 { $other } 的行
    }
row-taken-briefly =
    { $memory ->
        [new] 新的，占 { $other } 的行
       *[old] 占 { $other } 的行
    }
