### 各项发现的文字。`finding-<kind>-title`、`finding-<kind>`、`fix-<title>`；反引号标出代码。
### 行号 0 和版本 -1 表示未知。

## 为反向传播保存的张量

finding-stale_saved_tensor-title = 保存的张量在反向传播用到之前被写过了
finding-stale_saved_tensor =
    { $saver_line ->
        [0] {""}
       *[other] 第 { NUMBER($saver_line, useGrouping: 0) } 行的{" "}
    }`{ $node }` 保存了{ $relation ->
        [itself] {" "}`{ $name }`
        [view] {" "}`{ $name }` 的一个视图
       *[unnamed] 它的 `{ $slot }`
    }{ $saved_version ->
        [-1] {""}
       *[other] （版本 { NUMBER($saved_version, useGrouping: 0) }）
    }，留着以后算梯度；{ $writer_line ->
        [0] 之后的一次写入
       *[other] 第 { NUMBER($writer_line, useGrouping: 0) } 行
    }{ $way ->
        [alias] 通过 `{ $through }`{" "}
       *[direct] {""}
    }{ $bytes ->
        [changed] { $written_version ->
            [-1] 改了它
           *[other] 把它改到了版本 { NUMBER($written_version, useGrouping: 0) }
        }，需要的那个数已经不在了。
       *[unknown] { $written_version ->
            [-1] 让它的版本变了
           *[other] 让它的版本变成了 { NUMBER($written_version, useGrouping: 0) }
        }；只要写了这块内存的任何一处，版本就会增加，所以 autograd 不能再相信它需要的那个数。
    }{ $needer_line ->
        [0] 反向传播走到这里就会报错。
       *[other] 所以第 { NUMBER($needer_line, useGrouping: 0) } 行的反向传播报了错。
    }

finding-silently_wrong_gradient-title = 梯度悄悄地错了
finding-silently_wrong_gradient =
    { $saver_line ->
        [0] {""}
       *[other] 第 { NUMBER($saver_line, useGrouping: 0) } 行的{" "}
    }`{ $node }` 保存了{ $relation ->
        [itself] {" "}`{ $name }`
        [view] {" "}`{ $name }` 的一个视图
       *[unnamed] 它的 `{ $slot }`
    }{ $saved_version ->
        [-1] {""}
       *[other] （版本 { NUMBER($saved_version, useGrouping: 0) }）
    }，留着以后算梯度；{ $writer_line ->
        [0] 之后的一次写入
       *[other] 第 { NUMBER($writer_line, useGrouping: 0) } 行
    }{ $way ->
        [alias] 通过 `{ $through }`{" "}
       *[direct] {""}
    }改了这些字节，而 autograd 检查的版本计数器没有动。{ $needer_line ->
        [0] 反向传播走到这里，会用新的数计算，却不报错。
       *[other] 于是第 { NUMBER($needer_line, useGrouping: 0) } 行的反向传播用新的数做了计算，没有报错：得到的已不是前向计算的梯度。
    }

fix-clone_before_write = 写到副本上：加上 `.clone()`
fix-write_out_of_place = 不原地写入，改为生成新的张量
fix-move_write_below = 把 step 移到反向传播之后
fix-clone_before_save = 让 autograd 保存副本：加上 `.clone()`
fix-detach_tells = 改用 `.detach()`，让 torch 发现这次写入并报错

## 粘贴的文本

finding-pasted_prompts-title = 这像是从交互会话里复制来的
finding-pasted_prompts = 第 { NUMBER($line, useGrouping: 0) } 行以 `>>>` 或 `In [1]:` 之类的提示符开头，它不属于代码；没有提示符的行是会话打印的输出。
fix-strip_prompts = 只保留输入的代码

finding-pasted_indentation-title = 代码整体缩进了
finding-pasted_indentation = 从第 { NUMBER($line, useGrouping: 0) } 行起，每一行都向右移了，好像处在某个代码块里。Python 要求最外层的行顶格书写。
fix-strip_indentation = 去掉共同的缩进

finding-shell_lines-title = 这是给笔记本或 shell 的命令
finding-shell_lines =
    { $count ->
        [1] 第 { NUMBER($line, useGrouping: 0) } 行不是 Python：`!`、`%`、`pip install` 是给笔记本或 shell 的命令。
       *[other] 从第 { NUMBER($line, useGrouping: 0) } 行起，有 { $count } 行不是 Python：`!`、`%`、`pip install` 是给笔记本或 shell 的命令。
    }这里不能安装软件包；标准库、torch 和 numpy 已经有了。
fix-comment_shell_lines = 把它们改成注释

## 导入与软件包

finding-missing_import-title = 少了一个 import
finding-missing_import =
    代码从第 { NUMBER($line, useGrouping: 0) } 行起用到了 { $names }，却没有导入{ $count ->
        [1] 它。
       *[other] 它们。
    }
fix-add_import = 加上 `{ $statement }`

finding-absent_package-title = 这里没有这个软件包
finding-absent_package =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }需要 `{ $package }`，而这里没有。这里有标准库、torch 和 numpy。
fix-without_package = 不用 `{ $package }`，继续运行

## 运行环境

finding-keyboard_input-title = 这里没法用键盘输入
finding-keyboard_input = 第 { NUMBER($line, useGrouping: 0) } 行在等 `input()`，但运行时没有键盘。请把答案直接写进代码。
fix-answer_input = 用 `"1"` 代替 `input()`

finding-worker_processes-title = 一次运行只有一个进程
finding-worker_processes = 第 { NUMBER($line, useGrouping: 0) } 行让 DataLoader 启动工作进程，而这里不能启动新进程。用 `num_workers=0`，同样的批次就由本进程读取。
fix-no_workers = 改用 `num_workers=0`

finding-download-title = 运行时没有网络
finding-download = 第 { NUMBER($line, useGrouping: 0) } 行要下载东西，而运行时没有网络。自己造几个数，例如 `torch.randn(4, 3)`，看到的 autograd 是一样的。

finding-sealed-title = 运行是封闭的
finding-sealed =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }要做运行中不允许的事：这里没有网络，不能启动别的进程或程序，文件只能放在 `/tmp`；torch、numpy 和 Python 标准库照常可用。

finding-no_gpu-title = 这台机器没有 GPU
finding-no_gpu =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }要用 GPU，而这台机器没有。可以让 CPU 代替它：每个张量都会说出自己本该在哪个设备上，数值则都是 CPU 算出来的。
fix-stand_in = 让 CPU 代替 GPU，再运行一次

## 反向传播

finding-freed_graph-title = 第二次反向传播走进了已被释放的计算图
finding-freed_graph =
    { $how ->
        [carried] 第 { NUMBER($use_line, useGrouping: 0) } 行用到了{ $named ->
            [yes] {" "}`{ $name }`，它还连着
           *[no] 一个张量，它还连着
        }{ $rounds ->
            [same] 上一轮里
           *[other] {""}
        }第 { NUMBER($first_line, useGrouping: 0) } 行的反向传播释放掉的那张计算图；{ $rounds ->
            [same] 于是同一行的反向传播
           *[other] 于是第 { NUMBER($second_line, useGrouping: 0) } 行的反向传播
        }又走了进去，却发现 `{ $node }` 里什么也没有了。
        [shared] 两次反向传播都要经过第 { NUMBER($saver_line, useGrouping: 0) } 行的 `{ $name }`：第 { NUMBER($first_line, useGrouping: 0) } 行的那次用完并释放了这部分计算图保存的内容，第 { NUMBER($second_line, useGrouping: 0) } 行的那次到 `{ $node }` 时就什么也找不到了。
       *[again] { $saver_line ->
            [0] {""}
           *[other] 第 { NUMBER($saver_line, useGrouping: 0) } 行的
        } `{ $node }` 只为一次反向传播保存了所需的内容；第 { NUMBER($first_line, useGrouping: 0) } 行用完就释放了，所以{ $rounds ->
            [same] 这一行的下一次
           *[other] 第 { NUMBER($second_line, useGrouping: 0) } 行
        }反向传播无法再走一遍同一张图。
    }
fix-detach_carried = 只把数值带到下一轮：加上 `.detach()`
fix-sum_losses = 把损失加起来，只做一次反向传播
fix-retain_graph = 为第二次反向传播保留计算图
