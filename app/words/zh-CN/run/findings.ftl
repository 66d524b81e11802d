### 各项发现的文字。`finding-<kind>-title`、`finding-<kind>`、`fix-<title>`；反引号标出代码。
### 行号 0 和版本 -1 表示未知。

# 报错类发现的结尾。
error-caught =
    { $caught ->
        [yes] 程序捕获了这个错误。
       *[no] {""}
    }

# 在发现中说明张量是怎样被断开的；没有断开时为空。
error-cut_off =
    { $how ->
        [gradient] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `autograd.grad` 没有 `create_graph=True`，它的结果没有计算图。
        [checkpoint] 第 { NUMBER($cut_line, useGrouping: 0) } 行的可重入 `checkpoint` 没有需要梯度的输入，所以什么也不记录，Parameter 也不例外。请用 `use_reentrant=False`。
        [detach] 第 { NUMBER($cut_line, useGrouping: 0) } 行用 `.detach()` 把它从计算图中分离。
        [data] 第 { NUMBER($cut_line, useGrouping: 0) } 行用 `.data` 把它从计算图中分离。
        [item] 第 { NUMBER($cut_line, useGrouping: 0) } 行把它转成了普通的 Python 数，autograd 不会跟踪。
        [numpy] 第 { NUMBER($cut_line, useGrouping: 0) } 行把它转成了 NumPy 数组，autograd 不会跟踪。
        [rewrapped] 第 { NUMBER($cut_line, useGrouping: 0) } 行用它的值创建了新张量，新张量与计算图没有联系。
        [comparison] 第 { NUMBER($cut_line, useGrouping: 0) } 行由它得到布尔值，布尔值不可导。
        [integer] 第 { NUMBER($cut_line, useGrouping: 0) } 行由它得到整数，整数不可导。
        [no_grad] 第 { NUMBER($cut_line, useGrouping: 0) } 行使用它时梯度模式是关闭的，autograd 没有记录。
        [inference] 第 { NUMBER($cut_line, useGrouping: 0) } 行在推理模式下使用它，autograd 没有记录。
        [other] 第 { NUMBER($cut_line, useGrouping: 0) } 行使用了它，得到的张量却不需要梯度。
       *[none] {""}
    }

# 与各项发现放在一起。`count`：没有查完的发现种类数。
explained-in-part = 没有全部检查完：这次运行太大，有 { NUMBER($count, useGrouping: 0) } 项检查没有完成。列出的内容都属实，但可能有遗漏。运行短一些就能全部检查完。

# 用在说明运行环境缺少什么的提示末尾。
error-record_yourself = 请在那里安装 Stepgrad（在 Stepgrad 的源码目录里执行 `pip install .`），加上 `import stepgrad`，再把代码缩进，放在 `with stepgrad.record() as recording:` 这一行下面。代码块之后用 `recording.show()` 就能在浏览器里打开这份记录。

## 为反向传播保存的张量

finding-stale_saved_tensor-title = 反向传播需要的张量被原地修改了
finding-stale_saved_tensor =
    { $saver_line ->
        [0] {""}
       *[other] 第 { NUMBER($saver_line, useGrouping: 0) } 行的{" "}
    }`{ $node }` 为反向传播保存了{ $relation ->
        [itself] {" "}`{ $name }`
        [view] { $by ->
            [step] {" "}`{ $name }`
           *[write] {" "}`{ $name }` 的一个视图
        }
       *[unnamed] 一个张量（`{ $slot }`）
    }{ $saved_version ->
        [-1] {""}
       *[other] （版本 { NUMBER($saved_version, useGrouping: 0) }）
    }。{ $by ->
        [step] 第 { NUMBER($writer_line, useGrouping: 0) } 行的 `{ $call }`{" "}
       *[write] { $writer_line ->
            [0] 之后的操作
           *[other] 第 { NUMBER($writer_line, useGrouping: 0) } 行
        }
    }随后{ $way ->
        [alias] 通过 `{ $through }`{" "}
       *[direct] {""}
    }{ $bytes ->
        [same] 写入了同一块内存的其他位置
        [idle] 写入了与原来相同的值
        [changed] 原地修改了它
       *[unknown] 使它的版本计数器发生了变化
    }{ $written_version ->
        [-1] {""}
       *[other] （版本变为 { NUMBER($written_version, useGrouping: 0) }）
    }{ $bytes ->
        [same] 。保存的值没有变，但张量和它的视图共用一个版本计数器，autograd 只检查它。
        [idle] 。保存的值没有变，但 autograd 只检查版本计数器。
        [changed] 。
       *[unknown] 。autograd 只检查版本计数器，版本变了就不再使用保存的值。
    }{ $bytes ->
        [changed] { $needer_line ->
            [0] 反向传播如果到达 `{ $node }`，会因为需要的旧值已被覆盖而报错。
           *[other] 第 { NUMBER($needer_line, useGrouping: 0) } 行的反向传播需要的旧值已被覆盖，所以报错。
        }
       *[other] { $needer_line ->
            [0] 反向传播如果到达 `{ $node }`，就会报错。
           *[other] 所以第 { NUMBER($needer_line, useGrouping: 0) } 行的反向传播报错。
        }
    }{ error-caught }

finding-silently_wrong_gradient-title = { $effect ->
        [wrong] 梯度错误，但没有报错
       *[unknown] 梯度可能错误，但不会报错
    }
finding-silently_wrong_gradient =
    `{ $node }`{ $saver_line ->
        [0] {""}
       *[other] （第 { NUMBER($saver_line, useGrouping: 0) } 行）
    }保存了{ $relation ->
        [itself] {" "}`{ $name }`
        [view] {" "}`{ $name }` 的一个视图
       *[unnamed] 一个张量（`{ $slot }`）
    }{ $saved_version ->
        [-1] {""}
       *[other] （版本 { NUMBER($saved_version, useGrouping: 0) }）
    }，{ $writer_line ->
        [0] 之后的操作
       *[other] 第 { NUMBER($writer_line, useGrouping: 0) } 行
    }随后{ $way ->
        [alias] 通过 `{ $through }`{" "}
       *[direct] {""}
    }{ $effect ->
        [may] 可能改变了
       *[other] 改变了
    }它的值；版本计数器没有变，而 autograd 只检查它。{ $undecided ->
        [no_bytes] 这个张量的值无法读取，因此无法比较。
        [gone] 保存的值已经不在了，因此无法比较。
        [unseen] 写入是事后才发现的，因此无法比较前后的值。
       *[known] { $needer_line ->
            [0] 反向传播如果到达 `{ $node }`，会使用新的值。
           *[other] 所以第 { NUMBER($needer_line, useGrouping: 0) } 行的反向传播使用了新的值{ $effect ->
                [wrong] {""}
               *[unknown] ，得到的梯度可能不对
            }。
        }
    }

# 与它并列：正确的梯度。`right-unknown-<reason>`：为什么不知道。
right-label = 用同一个种子再运行一次，并保留保存的值，{ $line ->
        [0] {""}
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行的
    }反向传播得到的梯度（原地写入本身不参与求导）：
right-source = 最后一列来自用同一个种子再运行的一次：{ $line ->
        [0] {""}
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行的
    }反向传播读取保存的值。原地写入本身不参与求导。
right-row = { $name }：反向传播给出 { $wrong }，用保存的值是 { $right }
right-gradient = 梯度
right-gave = 反向传播给出
right-would = 用保存的值
right-unchanged = 相同
right-of = { $name } 的梯度
right-summary = { $min } 到 { $max }，均值 { $mean }
right-more = ……还有 { $count } 个梯度
right-later = 正确的梯度只针对第 { NUMBER($line, useGrouping: 0) } 行的反向传播给出，它最先出错。这一次反向传播的起始数值已经不同。
right-after = 这次反向传播之后的计算都基于不同的数值，所以后面的梯度不再比较。
right-same = 用同一个种子再运行一次，并保留保存的值，得到的梯度相同：这次写入没有影响梯度。
right-unknown-differs = 无法得知正确的梯度：保留保存的值再运行一次，在得到梯度之前执行路径就不同了。程序读取时钟、内存地址或系统随机数时会这样。
right-unknown-unsteady = 无法得知正确的梯度：又运行了两次，不让后来的写入改变保存的值，但两次的梯度不同。
right-unknown-ended = 无法得知正确的梯度：保留保存的值再运行一次，结束的方式不同。
right-unknown-hooks = 无法得知正确的梯度：这次反向传播需要的值，有一部分由代码的钩子、检查点或 Tensor 的子类保存，无法保留。
right-unknown-function = 无法得知正确的梯度：某个 `torch.autograd.Function` 的反向传播用到了 `ctx.save_for_backward` 之外的内容（例如 `ctx` 的属性），无法保留。
right-unknown-threads = 无法得知正确的梯度：代码使用了多个线程，两次运行无法比较。
right-unknown-large = 无法得知正确的梯度：张量太大，无法逐个元素比较。
right-unknown-unseen = 无法得知正确的梯度：这里没有记录到叶子张量的梯度。
right-unknown-busy = 无法得知正确的梯度：服务器正忙，暂时不能再运行一次。

fix-clone_before_write = 写到副本上：加上 `.clone()`
fix-write_out_of_place = 创建新张量，不做原地写入
fix-take_by_index = 用下标逐个取出，每个都是单独的视图
fix-move_write_below = 把 step 移到反向传播之后
fix-clone_before_save = 让 autograd 保存副本：加上 `.clone()`
fix-clone_written = 改为写入副本：加 `.clone()`
fix-forward_again = 在这次反向传播之前重新做一次前向传播
fix-write_after_backward = 在反向传播之后再写入

## 粘贴的文本

finding-pasted_prompts-title = 这像是从交互式会话复制的
finding-pasted_prompts = 第 { NUMBER($line, useGrouping: 0) } 行以 `>>>` 或 `In [1]:` 之类的提示符开头，提示符不是代码。没有提示符的行是打印的输出。
fix-strip_prompts = 只保留代码

finding-pasted_indentation-title = 代码整体缩进了
finding-pasted_indentation = 从第 { NUMBER($line, useGrouping: 0) } 行起，每一行都有缩进，就像在某个代码块里。Python 要求顶层代码从行首开始。
fix-strip_indentation = 去掉共同的缩进

finding-shell_lines-title = notebook 或 shell 命令
finding-shell_lines =
    { $count ->
        [1] 第 { NUMBER($line, useGrouping: 0) } 行不是 Python：
       *[other] 从第 { NUMBER($line, useGrouping: 0) } 行起，有 { $count } 行不是 Python：
    }`!`、`%`、`pip install` 是 notebook 或 shell 的命令。这里不能安装软件包；可以使用标准库、torch 和 numpy。
fix-comment_shell_lines = 把它们注释掉

## 导入与软件包

finding-missing_import-title = 少了一个 import
finding-missing_import =
    代码从第 { NUMBER($line, useGrouping: 0) } 行起使用了 { $names }，但没有导入{ $count ->
        [1] 它。
       *[other] 它们。
    }
fix-add_import = 加上 `{ $statement }`

finding-absent_package-title = 这里没有安装这个软件包
finding-absent_package =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }需要 `{ $package }`，这里没有安装。可以使用标准库和 { $packages }。`stepgrad.record()` 可以在你自己有 `{ $package }` 的电脑上记录这个程序。{ error-record_yourself }
fix-without_package = 不使用 `{ $package }`，继续运行

## 运行环境

finding-absent_file-title = 这里没有这个文件
finding-absent_file =
    { $listed_line ->
        [0] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 要读取的文件或文件夹不存在。
       *[other] 第 { NUMBER($listed_line, useGrouping: 0) } 行的 `{ $name }` 没有找到文件，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $files }` 是空的。
    }运行时只有代码自己写入的文件。请在代码里生成数据，例如用 `torch.randn(4, 3)`，或者写成字符串。也可以用 `stepgrad.record()`，在你自己有这个文件的电脑上记录这个程序。{ error-record_yourself }

finding-keyboard_input-title = 不能使用 `input()`
finding-keyboard_input = 第 { NUMBER($line, useGrouping: 0) } 行调用了 `input()`，但运行时没有键盘输入。请把值直接写进代码。
fix-answer_input = 把 `input()` 换成 `"1"`


finding-download-title = 没有网络
finding-download = 第 { NUMBER($line, useGrouping: 0) } 行请求下载，但运行时没有网络。用几个随机数（例如 `torch.randn(4, 3)`）也能看到同样的 autograd 行为。

finding-sealed-title = 沙箱不允许这个操作
finding-sealed =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }执行了沙箱不允许的操作。运行时没有网络，不能启动其他进程，只能在 `/tmp` 里写文件。torch、numpy 和标准库可以照常使用。


finding-command_line-title = 没有命令行
finding-command_line =
    { $how ->
        [argv] 第 { NUMBER($line, useGrouping: 0) } 行读取了 `{ $written }`，但运行时没有命令行：`sys.argv` 里只有程序名。请把值直接写进代码。
       *[parser] 第 { NUMBER($line, useGrouping: 0) } 行读取命令行，但运行时没有命令行，`argparse` 就在这里结束了程序。{ $given ->
            [none] 请以字符串列表的形式传入它需要的参数，或者给它们设置默认值。
           *[other] 缺少必需的参数。请以字符串列表的形式把参数传给解析器（取值由你决定），或者给它们设置默认值。
        }
    }
fix-write_argument = 换成 `{ $given }`
fix-write_arguments = 把 `{ $given }` 传给解析器

finding-limit_met-title = 记录到达上限后结束
finding-limit_met =
    { $limit ->
        [wall_seconds] 一次运行最长 { $value } 秒
        [cpu_seconds] 一次运行最多使用 { $value } 秒处理器时间
        [memory_bytes] 一次运行最多使用 { $value } 内存
        [output_bytes] 一次运行最多输出 { $value }
        [trace_bytes] 一份记录最大 { $value }，条目也不能多到无法绘制
        [steps] 一份记录最多 { $value } 步
       *[statements] 一份记录最多 { $value } 条语句
    }{ $round ->
        [0] 。
       *[other] ，这次在第 { NUMBER($loop_line, useGrouping: 0) } 行的循环的第 { $round } 轮{ $total ->
            [0] {""}
           *[other] （共 { $total } 轮）
        }结束。
    }{ $fits ->
        [0] {""}
       *[other] 前 { $done } 轮在上限之内；{ $outer_line ->
            [0] {""}
           *[other] 第 { NUMBER($outer_line, useGrouping: 0) } 行的循环只运行一轮，
        }这个循环只运行 { $fits } 轮，就能给后面的代码留出余地。
    }{ $where ->
        [process] 记录在那里结束，程序继续运行。`{ $setting }` 可以提高这个上限。
       *[server] Stepgrad 服务器的设置 `{ $setting }` 可以提高这个上限{ $limit ->
            [wall_seconds] ；`stepgrad.record()` 没有时间上限
            [cpu_seconds] ；`stepgrad.record()` 没有时间上限
            [memory_bytes] ；`stepgrad.record()` 没有内存上限
           *[other] {""}
        }。
    }
fix-fewer_rounds = 让第 { NUMBER($loop_line, useGrouping: 0) } 行的循环只运行 { $fits } 轮

finding-no_gpu-title = 这台机器没有 GPU
finding-no_gpu =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }{ $asked ->
        [pinned] 需要 GPU 或其他加速器，而这台机器没有：锁页内存是供 GPU 复制用的。请写成 `pin_memory=torch.accelerator.is_available()`。
       *[device] 需要 GPU，而这台机器没有。可以用 CPU 代替：每个张量会显示它本应所在的设备，所有数值都在 CPU 上计算。
    }
fix-stand_in = 让 CPU 代替 GPU，再运行一次

## 反向传播

finding-freed_graph-title = 对已释放的计算图再次反向传播
finding-freed_graph =
    { $how ->
        [carried] 第 { NUMBER($use_line, useGrouping: 0) } 行用到了{ $named ->
            [yes] {" "}`{ $name }`
           *[no] 一个张量
        }，它仍连着一张计算图，而{ $rounds ->
            [same] 第 { NUMBER($first_line, useGrouping: 0) } 行较早的一次反向传播
           *[other] 第 { NUMBER($first_line, useGrouping: 0) } 行的反向传播
        }已经释放了这张图。所以{ $rounds ->
            [same] 第 { NUMBER($first_line, useGrouping: 0) } 行后一次的反向传播
           *[other] 第 { NUMBER($second_line, useGrouping: 0) } 行的反向传播
        }再次到达这张图，在 `{ $node }` 处报错：它保存的张量已被释放。
        [shared] 两次反向传播都经过第 { NUMBER($saver_line, useGrouping: 0) } 行的 `{ $name }`。第 { NUMBER($first_line, useGrouping: 0) } 行的反向传播释放了这部分计算图保存的张量，所以第 { NUMBER($second_line, useGrouping: 0) } 行的反向传播在 `{ $node }` 处报错。
       *[again] 第 { NUMBER($first_line, useGrouping: 0) } 行的{ $rounds ->
            [same] 较早的一次反向传播
           *[other] 反向传播
        }释放了{ $saver_line ->
            [0] {" "}
           *[other] 第 { NUMBER($saver_line, useGrouping: 0) } 行的{" "}
        }`{ $node }` 保存的张量，所以{ $rounds ->
            [same] 之后的反向传播
           *[other] 第 { NUMBER($second_line, useGrouping: 0) } 行的反向传播
        }不能再经过同一张计算图。
    }{ error-caught }
fix-detach_carried = 只把数值带到下一轮：加上 `.detach()`
fix-stop_there = 让第一个损失的梯度止于 `{ $name }`：加上 `.detach()`
fix-sum_losses = 把损失加起来，只做一次反向传播
fix-retain_graph = 为第二次反向传播保留计算图

finding-not_scalar-title = 反向传播需要单个元素或一个梯度
finding-not_scalar = `{ $name }` { $count ->
        [0] 没有元素
       *[other] 有 { NUMBER($count, useGrouping: 0) } 个元素（形状 `{ $shape }`）
    }。不传入梯度时，第 { NUMBER($line, useGrouping: 0) } 行的反向传播只能从单个元素开始。请用 `.sum()` 或 `.mean()` 归约，或传入形状相同的梯度。{ error-caught }
fix-sum_root = 从总和开始：加上 `.sum()`

finding-leaf_backward-title = 从叶子张量开始反向传播
finding-leaf_backward = `{ $root }`（第 { NUMBER($maker_line, useGrouping: 0) } 行）是叶子张量，没有计算图，所以第 { NUMBER($line, useGrouping: 0) } 行的反向传播只会设置 `{ $root }.grad`，不会得到别的梯度。{ $how ->
        [late] 第 { NUMBER($asked_line, useGrouping: 0) } 行在结果上设置了 `requires_grad`；应该在前向传播之前，对算出它的那些张量设置。
       *[other] 第 { NUMBER($cut_line, useGrouping: 0) } 行切断了计算图：{ $known ->
            [yes] 对 `{ $name }`，
           *[no] 对需要梯度的张量，
        }{ $how ->
            [item] 它取出了 Python 数。
            [numpy] 它取出了 NumPy 数组。
            [rewrapped] 它只复制了数值。
            [detach] `.detach()` 只传递数值。
            [data] `.data` 只传递数值。
            [no_grad] 它使用时梯度模式是关闭的。
            [inference] 它在推理模式下使用。
           *[other] 它得到的结果不需要梯度。
        }
    }
fix-keep_the_graph = 直接使用带有计算图的张量

finding-late_requires_grad-title = `requires_grad` 设置得太晚：前向传播已经用过
finding-late_requires_grad = 第 { NUMBER($asked_line, useGrouping: 0) } 行给 `{ $name }` 设置了 `requires_grad`，但第 { NUMBER($use_line, useGrouping: 0) } 行在此之前已经用过 `{ $name }`，autograd 没有为它记录任何东西。所以第 { NUMBER($line, useGrouping: 0) } 行的反向传播不会给 `{ $name }` 梯度：`{ $name }.grad` 是 None。请在前向传播之前设置 `requires_grad`。

finding-number_backward-title = 对 Python 数调用 `backward()`
finding-number_backward = `{ $root }` 是 Python 的 `{ $type }`，没有 `backward()`：第 { NUMBER($cut_line, useGrouping: 0) } 行由{ $known ->
        [yes] {" "}`{ $name }`{" "}
       *[no] 张量
    }取出了一个数。请对张量调用 `backward()`，只在打印时用 `.item()`。{ error-caught }
fix-without_item = 保留张量：去掉 `.item()`

finding-unused_input-title = 输出并不依赖这个输入
finding-unused_input =
    { $how ->
        [off] 第 { NUMBER($line, useGrouping: 0) } 行要求对 `{ $name }` 的梯度，但 `{ $name }` 不需要梯度，autograd 没有为它记录任何东西。请在前向传播之前设置 `requires_grad=True`。
       *[other] { $inputs ->
            [1] 第 { NUMBER($line, useGrouping: 0) } 行要求 `{ $root }` 对 `{ $name }` 的梯度，但 `{ $name }` 不在 `{ $root }` 的计算图里。
           *[other] 第 { NUMBER($line, useGrouping: 0) } 行要求 `{ $root }` 对 { $inputs } 个张量的梯度，但它们不在 `{ $root }` 的计算图里；第一个是 `{ $name }`。
        }
    }{ $how ->
        [off] {""}
        [later] `{ $name }` 是第 { NUMBER($maker_line, useGrouping: 0) } 行得到的另一个张量；`{ $root }` 是由它的来源算出来的。请对计算中实际使用的那个张量求梯度。
        [apart] `{ $root }` 不是由它算出来的。用 `allow_unused=True` 时，它的梯度是 None。
        [unknown] 用 `allow_unused=True` 时，它的梯度是 None。
       *[cut] {""}
    }{ error-cut_off }{ error-caught }

finding-cut_graph-title = 对没有计算图的张量做反向传播
finding-cut_graph =
    { $how ->
        [detach] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `.detach()` 只返回{ $known ->
            [yes] {" "}`{ $name }` 的值
           *[no] 张量的值
        }，不带计算图。
        [data] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `.data` 只返回{ $known ->
            [yes] {" "}`{ $name }` 的值
           *[no] 张量的值
        }，不带计算图。
        [gradient] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `autograd.grad` 没有 `create_graph=True`，结果不带计算图。
        [checkpoint] 第 { NUMBER($cut_line, useGrouping: 0) } 行的可重入 `checkpoint` 没有需要梯度的输入，所以什么也不记录，Parameter 也不例外（`use_reentrant=False` 则会记录）。
        [item] 第 { NUMBER($cut_line, useGrouping: 0) } 行把{ $known ->
            [yes] {" "}`{ $name }` 转成了
           *[no] 张量转成了
        }普通的 Python 数，autograd 不会跟踪它。
        [numpy] 第 { NUMBER($cut_line, useGrouping: 0) } 行把{ $known ->
            [yes] {" "}`{ $name }` 转成了
           *[no] 张量转成了
        } NumPy 数组，autograd 不会跟踪它。
        [rewrapped] 第 { NUMBER($cut_line, useGrouping: 0) } 行用{ $known ->
            [yes] {" "}`{ $name }` 的值
           *[no] 张量的值
        }创建了新张量，新张量与原来的计算图没有联系。
        [comparison] 第 { NUMBER($cut_line, useGrouping: 0) } 行{ $known ->
            [yes] 由 `{ $name }` 得到布尔值
           *[no] 得到布尔值
        }，布尔值不可导。
        [integer] { $operator ->
            [none] 第 { NUMBER($cut_line, useGrouping: 0) } 行{ $known ->
                [yes] 由 `{ $name }` 得到整数
               *[no] 得到整数
            }，整数不可导。
            [argmax] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `argmax` 返回整数下标，不可导。
            [argmin] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `argmin` 返回整数下标，不可导。
            [argsort] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `argsort` 返回整数下标，不可导。
           *[other] 第 { NUMBER($cut_line, useGrouping: 0) } 行的 `{ $operator }` 返回整数，不可导。
        }
        [no_grad] 第 { NUMBER($cut_line, useGrouping: 0) } 行用到{ $known ->
            [yes] {" "}`{ $name }` 时
           *[no] 需要梯度的张量时
        }梯度模式是关闭的，autograd 什么也不记录。
        [inference] 第 { NUMBER($cut_line, useGrouping: 0) } 行在推理模式下使用{ $known ->
            [yes] {" "}`{ $name }`
           *[no] 需要梯度的张量
        }，autograd 什么也不记录。
        [other] 第 { NUMBER($cut_line, useGrouping: 0) } 行使用了{ $known ->
            [yes] {" "}`{ $name }`
           *[no] 需要梯度的张量
        }，但结果不需要梯度。
        [late] 第 { NUMBER($cut_line, useGrouping: 0) } 行在用 `{ $name }` 算出 `{ $root }` 之后才给它设置 `requires_grad`（应该在前向传播之前设置），autograd 没有为它记录任何东西。
        [frozen] 第 { NUMBER($cut_line, useGrouping: 0) } 行关闭了{ $known ->
            [yes] {" "}`{ $name }`{" "}
           *[no] 一个叶子张量
        }{ $others ->
            [0] {""}
           *[other] 和另外 { $others } 个张量
        }的 `requires_grad`{ $lines ->
            [1] {""}
           *[other] ，其余的由别的行关闭
        }。`{ $root }` 的计算没有用到别的需要梯度的张量，所以 autograd 什么也没有记录。
        [itself] 第 { NUMBER($cut_line, useGrouping: 0) } 行关闭了 `{ $root }` 的 `requires_grad`。
        [detached] 第 { NUMBER($cut_line, useGrouping: 0) } 行调用 `detach_()`，它把{ $known ->
            [yes] {" "}`{ $name }` 本身
           *[no] 张量本身
        }从计算图中分离，不产生副本。
        [nothing] 这次运行里没有任何张量需要梯度{ $known ->
            [yes] ，最初的 `{ $name }` 也不需要
           *[no] {""}
        }，所以 autograd 什么也不记录。
       *[unknown] `{ $root }` 不需要梯度：要么它的输入都不需要梯度，要么计算图在它之前断开了。
    }{ $switch ->
        [with] 第 { NUMBER($switch_line, useGrouping: 0) } 行的 `with { $switch_text }` 关闭了梯度模式。
        [decorator] 第 { NUMBER($switch_line, useGrouping: 0) } 行的装饰器 `@{ $switch_text }` 关闭了梯度模式。
        [call] 第 { NUMBER($switch_line, useGrouping: 0) } 行的 `{ $switch_text }` 关闭了梯度模式，之后没有再打开。
       *[none] {""}
    }{ $how ->
        [unknown] 它没有 `grad_fn`，第 { NUMBER($line, useGrouping: 0) } 行的反向传播报错。
       *[other] 所以 `{ $root }` 没有 `grad_fn`，第 { NUMBER($line, useGrouping: 0) } 行的反向传播报错。
    }{ error-caught }
fix-without_detach = 保留计算图
fix-stack = 改用 `torch.stack`，计算图就不会断
fix-not_reentrant = 使用 `use_reentrant=False`
fix-with_grad = 在这里打开梯度模式
fix-keep_gradients_graph = 保留梯度的计算图：加上 `create_graph=True`
fix-grad_off_in_block = 只在这个函数里关闭梯度模式
fix-write_in_place = 原地更新同一个叶子张量
fix-ask_for_grad = 加上 `requires_grad=True`

## torch 拒绝的写入

finding-leaf_written-title = 原地写入需要梯度的叶子张量
finding-leaf_written =
    { $how ->
        [view] `{ $name }` 是{ $known ->
            [yes] {" "}`{ $leaf }` 的视图，`{ $leaf }` 是需要梯度的叶子张量
           *[no] 一个需要梯度的叶子张量的视图
        }
       *[itself] `{ $leaf }` 是需要梯度的叶子张量
    }；记录这次原地修改会让它不再是叶子张量，所以 PyTorch 拒绝第 { NUMBER($line, useGrouping: 0) } 行。要像优化器那样更新它{ $how ->
        [part] 的一部分
       *[itself] {""}
    }，请在 `torch.no_grad()` 下写入。{ error-caught }
fix-write_without_grad = 在 `torch.no_grad()` 下写入

finding-view_of_many-title = 原地写入多个视图之一
finding-view_of_many =
    `{ $name }` 是{ $how ->
        [view] 某个视图的视图，后者是一次返回的多个视图之一
       *[itself] 第 { NUMBER($maker_line, useGrouping: 0) } 行一次返回的多个视图之一
    }{ $known ->
        [yes] （`{ $base }` 的视图）
       *[no] {""}
    }，这些视图共用一个 `{ $node }`。PyTorch 不允许原地写入这样的视图，所以拒绝第 { NUMBER($line, useGrouping: 0) } 行。用下标取出的视图可以写入。{ error-caught }

finding-no_grad_view-title = 在关闭梯度模式时创建的视图，又在打开时写入
finding-no_grad_view =
    第 { NUMBER($maker_line, useGrouping: 0) } 行在梯度模式关闭时创建了{ $known ->
        [yes] {" "}`{ $base }` 的
       *[no] {""}
    }视图 `{ $name }`，第 { NUMBER($line, useGrouping: 0) } 行却在梯度模式打开时写入它。autograd 无法确定是否应该记录这次写入，所以 PyTorch 拒绝。请在同一种模式下创建和写入视图。{ error-caught }

finding-inference_tensor-title = 在推理模式之外使用推理张量
finding-inference_tensor =
    `{ $name }` 是第 { NUMBER($maker_line, useGrouping: 0) } 行在推理模式下创建的，没有版本计数器；{ $how ->
        [written] autograd 无法跟踪第 { NUMBER($line, useGrouping: 0) } 行的写入，所以 PyTorch 不允许在推理模式之外写入它。
       *[saved] 如果之后被写入，autograd 无法发现，所以 PyTorch 不允许第 { NUMBER($line, useGrouping: 0) } 行为反向传播保存它。
    }在推理模式之外 `.clone()` 得到的是普通张量；`torch.no_grad()` 下创建的也是普通张量。{ error-caught }
fix-no_grad_instead = 改用 `torch.no_grad()`

finding-overlapping_write-title = 多个元素共用同一个内存位置
finding-overlapping_write =
    { $known ->
        [yes] { $maker_line ->
            [0] {""}
           *[other] 第 { NUMBER($maker_line, useGrouping: 0) } 行的{" "}
        }`{ $name }` 的
       *[no] 这个张量的
    }多个元素共用同一个内存位置{ $operator ->
        [none] {""}
       *[other] （`{ $operator }` 不复制数据）
    }。第 { NUMBER($line, useGrouping: 0) } 行要把多个值写入同一个位置，所以 PyTorch 拒绝。`.clone()` 让每个元素有自己的内存。{ error-caught }
fix-clone_expanded = 让每个元素有自己的内存：加上 `.clone()`

finding-own_memory-title = 写入的同时读取同一块内存
finding-own_memory = 第 { NUMBER($line, useGrouping: 0) } 行原地写入 `{ $name }`，同时又从同一块内存读取 `{ $read }`。结果会取决于先写哪个元素，所以 PyTorch 拒绝了。请读取一份副本：`{ $read }.clone()`。{ error-caught }
fix-clone_what_is_read = 读取副本：加上 `.clone()`

finding-not_marked_dirty-title = 自定义 Function 写入了输入，但没有调用 `mark_dirty`
finding-not_marked_dirty = `{ $function }` 在第 { NUMBER($line, useGrouping: 0) } 行原地写入了输入 `{ $name }`，但没有调用 `{ $ctx }.mark_dirty({ $name })`。autograd 不知道 `{ $name }` 已被修改，梯度可能错误。
fix-mark_dirty = 加上 `{ $ctx }.mark_dirty({ $name })`

finding-not_viewable-title = 这种内存布局不能用 `view`
finding-not_viewable = { $maker_line ->
        [0] {""}
       *[other] 第 { NUMBER($maker_line, useGrouping: 0) } 行的{" "}
    }`{ $name }` 形状是 `{ $shape }`，步长是 `{ $stride }`。按这样的步长，第 { NUMBER($line, useGrouping: 0) } 行要的形状不能是它的视图。`reshape` 会在必要时复制数据。{ error-caught }
fix-reshape_instead = 改用 `reshape`，它会在必要时复制数据

finding-view_detached-title = 视图不能用 `detach_()`
finding-view_detached = `{ $name }` 是{ $known ->
        [yes] {" "}`{ $base }` 的
       *[no] 一个
    }视图，而视图不能用 `detach_()`，所以 PyTorch 拒绝第 { NUMBER($line, useGrouping: 0) } 行。`.detach()` 返回一个共用同一块内存、不带计算图的新张量。{ error-caught }

finding-narrow_write-title = 这个 dtype 存不下结果
finding-narrow_write = { $how ->
        [divided] 第 { NUMBER($line, useGrouping: 0) } 行做除法，结果是 `{ $kind }` 类型
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行用 `{ $operand }` 计算，结果是 `{ $kind }` 类型
    }。`{ $name }` 的 dtype 是 `{ $dtype }`，存不下这样的结果，而原地操作不会改变 dtype。请创建新张量，或一开始就使用存得下结果的 dtype。{ error-caught }
fix-floats_only = 只写入浮点张量

finding-not_parameter-title = 这里只能赋值 Parameter
finding-not_parameter = `{ $name }` 是模块的 Parameter。第 { NUMBER($line, useGrouping: 0) } 行把普通张量赋给它，模块不允许这样做。要改变它的值，请在 `torch.no_grad()` 下写入。{ error-caught }
fix-copy_into_parameter = 把值复制到原来的 Parameter
fix-new_parameter = 赋一个新的 Parameter（之前创建的优化器不会更新它）

## 不易察觉的意外

finding-non_leaf_grad-title =
    { $how ->
        [lost] 这个变量名不再指向叶子张量
        [moved] `retain_grad()` 是对另一个张量调用的
        [element] 梯度在叶子张量上，不在它的元素上
       *[middle] 非叶子张量不保留梯度
    }
finding-non_leaf_grad =
    { $how ->
        [lost] 第 { NUMBER($maker_line, useGrouping: 0) } 行把一个新张量赋给了 `{ $name }`。它不是原来的叶子张量，而 autograd 默认只为叶子保留梯度，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }.grad` 是 `None`。
        [moved] 第 { NUMBER($asked_line, useGrouping: 0) } 行对当时的 `{ $name }` 调用了 `retain_grad()`。之后第 { NUMBER($maker_line, useGrouping: 0) } 行把另一个张量赋给了 `{ $name }`，它不保留梯度，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }.grad` 是 `None`。
        [element] 每次写 `{ $name }` 都生成一个新视图，它不是叶子张量，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }.grad` 是 `None`。梯度在叶子张量上：请读 `{ $instead }`。
       *[middle] `{ $name }` 是第 { NUMBER($maker_line, useGrouping: 0) } 行计算得到的，不是叶子张量。autograd 默认只为叶子保留梯度，所以第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }.grad` 是 `None`。要保留它，请在反向传播之前调用 `{ $name }.retain_grad()`。
    }
fix-retain_grad = 保留梯度：加上 `{ $name }.retain_grad()`
fix-read_leaf_grad = 改读 `{ $instead }`

finding-grad_accumulated-title = 梯度累加
finding-grad_accumulated =
    { $updated ->
        [yes] 第 { NUMBER($write_line, useGrouping: 0) } 行更新了{ $known ->
            [yes] {" "}`{ $name }`
           *[no] 一个叶子张量
        }{ $others ->
            [0] {""}
           *[other] {" "}和另外 { $others } 个叶子张量
        }，但之后没有清零梯度。{ $rounds ->
            [same] 所以第 { NUMBER($second_line, useGrouping: 0) } 行的下一次反向传播把梯度加到了上一轮的梯度上。
           *[other] 所以第 { NUMBER($second_line, useGrouping: 0) } 行的反向传播把梯度加到了第 { NUMBER($first_line, useGrouping: 0) } 行的梯度上。
        }
       *[no] { $known ->
            [yes] `{ $grad }`{" "}
           *[no] 一个叶子张量的梯度
        }是累加的结果：反向传播会加到已有的 `.grad` 上，而不是替换它。{ $rounds ->
            [same] 第 { NUMBER($second_line, useGrouping: 0) } 行的每次反向传播都把梯度加到了之前的梯度上。
           *[other] 第 { NUMBER($second_line, useGrouping: 0) } 行的反向传播把梯度加到了第 { NUMBER($first_line, useGrouping: 0) } 行的梯度上。
        }
    }
fix-clear_grad = 在反向传播之前清零梯度

finding-nan_gradient-title = 梯度中出现 NaN 或无穷大
finding-nan_gradient =
    { $how ->
        [where] `torch.where` 选择的是另一个分支，但第 { NUMBER($line, useGrouping: 0) } 行的反向传播会经过两个分支。未选中的分支得到的梯度是 0，{ $maker_line ->
            [0] {""}
           *[other] 第 { NUMBER($maker_line, useGrouping: 0) } 行的{" "}
        }`{ $node }` 把它乘以那里的导数，而导数是无穷大或 NaN，结果就是 NaN。
        [forward] { $maker_line ->
            [0] {""}
           *[other] 第 { NUMBER($maker_line, useGrouping: 0) } 行的{" "}
        }`{ $node }` 的前向结果包含 NaN 或无穷大。在第 { NUMBER($line, useGrouping: 0) } 行的反向传播中，它收到有限的梯度，返回 NaN 或无穷大。
       *[other] 在第 { NUMBER($line, useGrouping: 0) } 行的反向传播中，{ $maker_line ->
            [0] {""}
           *[other] 第 { NUMBER($maker_line, useGrouping: 0) } 行的{" "}
        }`{ $node }` 收到有限的梯度，返回 NaN 或无穷大。
    }{ $grad ->
        [none] {""}
       *[other] 所以 `{ $grad }` 也包含 NaN 或无穷大。
    }{ error-remedy }
fix-safe_argument = 再用一个 `torch.where` 保护自变量
fix-add_epsilon = 在根号下加一个很小的数：`+ 1e-12`

finding-live_state-title = `state_dict()` 不是副本
finding-live_state = 第 { NUMBER($line, useGrouping: 0) } 行的 `state_dict()` 不复制数据：`{ $name }` 里的张量与模型共用内存。所以{ $write_line ->
        [0] 之后的写入
       *[other] 第 { NUMBER($write_line, useGrouping: 0) } 行
    }也改变了 `{ $path }`。
fix-copy_state = 保存副本：`copy.deepcopy`

finding-one_memory-title = 多项共用同一块内存
finding-one_memory =
    { $same ->
        [yes] `{ $one }` 和 `{ $other }` 是同一个张量。
        [arrays] `{ $one }` 和 `{ $other }` 是两个数组，用的是同一个张量的内存。
       *[no] `{ $one }` 和 `{ $other }` 是共用同一块内存的两个张量。
    }第 { NUMBER($write_line, useGrouping: 0) } 行原地修改之后，它又被加入 `{ $name }`，所以两处都显示最后的值。
fix-keep_a_copy = 把副本加入列表：`.clone()`
fix-keep_an_array = 把副本加入列表：`.copy()`

finding-kept_graphs-title = 旧的计算图留在内存里
finding-kept_graphs =
    { $how ->
        [sum] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 把 `{ $loss }` 连同计算图一起累加。它现在引用着 { $rounds } 次反向传播的计算图，占用的内存会不断增加。
       *[list] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 把 `{ $loss }` 连同计算图一起保存。它现在引用着 { $rounds } 张已经完成反向传播的计算图。
    }`{ $loss }.item()` 是普通的数，不带计算图。
fix-keep_a_number = 只保存数值：加上 `.item()`

finding-frozen_late-title = 在前向传播之后才冻结
finding-frozen_late = 前向传播记录了{ $known ->
        [yes] {" "}`{ $name }`{" "}
       *[no] 一个叶子张量
    }之后，第 { NUMBER($freeze_line, useGrouping: 0) } 行才关闭它的 `requires_grad`。第 { NUMBER($line, useGrouping: 0) } 行的反向传播仍然计算了它的梯度，但没有保存：{ $known ->
        [yes] `{ $grad }`
       *[no] 它的 `.grad`
    } 没有变。要省去这些计算，请在前向传播之前冻结。

finding-spread_write-title = 一次写入改变了多个元素
finding-spread_write = 第 { NUMBER($maker_line, useGrouping: 0) } 行的 `{ $name }` 的多个元素共用同一个内存位置{ $operator ->
        [none] {""}
       *[other] （`{ $operator }` 不复制数据）
    }。所以第 { NUMBER($line, useGrouping: 0) } 行写入 `{ $part }` 时，`{ $name }` 的其他元素也改变了。

finding-same_object-title = 两个名字，同一个张量
finding-same_object = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $method }` 不需要转换，返回的是同一个张量，不是副本。{ $how ->
        [argument] `{ $name }` 仍是调用者的 `{ $other }`，所以第 { NUMBER($write_line, useGrouping: 0) } 行的写入也改变了 `{ $other }`。
       *[name] `{ $name }` 就是 `{ $other }`，所以第 { NUMBER($write_line, useGrouping: 0) } 行的写入在两个名字下都能看到。
    }
fix-copy_first = 复制一份：加上 `.clone()`

finding-not_copied-title = 没有复制
finding-not_copied = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $how }` 不复制数值：`{ $name }` 与 `{ $other }` 共用内存。第 { NUMBER($write_line, useGrouping: 0) } 行的写入同时改变了两者。

finding-rewrapped-title = 只复制值，不带计算图
finding-rewrapped = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $call }` 把{ $count ->
        [1] 需要梯度的张量
       *[other] 多个需要梯度的张量
    }的值复制到新张量中，新张量与计算图没有联系。梯度不会经过它传回去。

finding-small_view-title = 小视图占住了大存储
finding-small_view = 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $name }` 只使用 { $looked }，但视图会让整个存储留在内存里：{ $kept }。没有变量使用其余部分。`.clone()` 只保留它使用的元素。

finding-numpy_of_tracked-title = 对需要梯度的张量调用 `numpy()`
finding-numpy_of_tracked = `{ $name }` 需要梯度。第 { NUMBER($line, useGrouping: 0) } 行的 `numpy()` 会让数组共用它的内存，而 autograd 不跟踪 NumPy 的操作，所以 PyTorch 拒绝。{ error-caught }
fix-detach_first = 只转换值：加上 `.detach()`

finding-other_parameter-title = 优化器持有的是另一个 Parameter
finding-other_parameter =
    从第 { NUMBER($line, useGrouping: 0) } 行起，`{ $name }` 不再是 `{ $optimizer }` 持有的那个{ $type ->
        [Parameter] {" "}Parameter
       *[other] 张量
    }，所以 `{ $optimizer }` 不会更新它。{ $type ->
        [Parameter] 请在模型构建完成之后再创建优化器。
       *[other] 请在这一行之后再创建优化器。
    }
fix-optimizer_after = 在替换 Parameter 之后再创建优化器

finding-leaf_needed-title = 这里需要叶子张量
finding-leaf_needed =
    `{ $name }`（第 { NUMBER($maker_line, useGrouping: 0) } 行）是计算的结果，不是叶子张量。{ $how ->
        [optimizer] 优化器只接受叶子张量，所以第 { NUMBER($line, useGrouping: 0) } 行被拒绝。{ $leaves ->
            [0] {""}
           *[other] 要训练{ $leaves ->
                [1] 算出它的 `{ $leaf }`，请把 `{ $leaf }` 交给优化器
               *[other] 算出它的各个叶子张量（如 `{ $leaf }`），请把这些叶子张量交给优化器
            }，并在每次迭代里重新计算 `{ $name }`。要训练 `{ $name }` 本身，请用 `.detach().requires_grad_()` 把它变成叶子张量。
        }
        [requires_grad] 它的 `requires_grad` 由输入决定，不能直接设置，所以 PyTorch 拒绝第 { NUMBER($line, useGrouping: 0) } 行。`.detach()` 返回不需要梯度的张量。
        [module] 第 { NUMBER($line, useGrouping: 0) } 行的 `deepcopy` 复制 `{ $holder }` 持有的所有内容，而 PyTorch 只能深拷贝叶子张量。请把它放在局部变量里，或存 `.detach()` 的结果。
       *[deepcopy] PyTorch 只能深拷贝叶子张量，所以拒绝第 { NUMBER($line, useGrouping: 0) } 行。`.detach().clone()` 复制它的值。
    }{ error-caught }
fix-make_leaf = 变成叶子张量：`.detach().requires_grad_()`
fix-detach_instead = 改用 `.detach()`
fix-clone_instead = 复制值：`.detach().clone()`

finding-repeated_list-title = 列表里多次引用同一个张量
finding-repeated_list = 第 { NUMBER($line, useGrouping: 0) } 行的 `*` 重复的是对同一个张量的引用，不会复制。`{ $name }` 的所有元素都是同一个张量，所以第 { NUMBER($write_line, useGrouping: 0) } 行的写入在每个元素里都能看到。
fix-each_its_own = 为每个元素分别创建张量

finding-kept_grad-title = 保存的梯度之后又变了
finding-kept_grad = `{ $name }`（第 { NUMBER($line, useGrouping: 0) } 行）就是 `{ $grad }` 本身，不是副本。{ $how ->
        [added] 第 { NUMBER($write_line, useGrouping: 0) } 行的反向传播在它上面原地累加
        [zeroed] 第 { NUMBER($write_line, useGrouping: 0) } 行把它原地清零
       *[written] 第 { NUMBER($write_line, useGrouping: 0) } 行原地修改了它
    }，所以 `{ $name }` 也变了。
fix-clone_grad = 保存副本：加上 `.clone()`

finding-data_assigned-title = 两个张量共用内存，但不共用版本计数器
finding-data_assigned = 第 { NUMBER($line, useGrouping: 0) } 行不复制数据：{ $known ->
        [yes] `{ $name }`{" "}
       *[no] 一个张量
    }现在使用 `{ $owner }` 的内存，而两者各有自己的版本计数器。所以第 { NUMBER($write_line, useGrouping: 0) } 行也改变了 `{ $follower }`，autograd 无法发现。
fix-clone_given = 给它一份副本：加上 `.clone()`

finding-numpy_alias-title = 数组和张量共用内存
finding-numpy_alias = 从第 { NUMBER($line, useGrouping: 0) } 行起，张量 `{ $name }` 和数组 `{ $array }` 共用内存。{ $by ->
        [numpy] 第 { NUMBER($write_line, useGrouping: 0) } 行写入了数组，所以 `{ $name }` 也变了，但它的版本计数器没有变。
       *[torch] 第 { NUMBER($write_line, useGrouping: 0) } 行原地写入了张量，所以 `{ $array }` 也变了。
    }
fix-copy_once = 复制一份

finding-reshape_view-title = `{ $method }` 返回的是视图
finding-reshape_view = 由于 `{ $other }` 的内存布局，第 { NUMBER($line, useGrouping: 0) } 行的 `{ $method }` 返回视图，不复制数据。`{ $name }` 和 `{ $other }` 共用内存，所以第 { NUMBER($write_line, useGrouping: 0) } 行的写入也改变了 `{ $follower }`。换一种布局，它返回的会是副本。

finding-lost_write-title = 写入了临时的副本
finding-lost_write =
    { $how ->
        [index] `{ $piece }` 选取元素，得到的是副本。
       *[method] `{ $piece }` 在这里返回副本。
    }第 { NUMBER($line, useGrouping: 0) } 行写入的是这份副本，它随后被丢弃，所以 `{ $name }` 没有改变。
fix-assign_index = 通过下标赋值：`x[...] = ...`

finding-mutable_default-title = 可变的默认参数
finding-mutable_default = `{ $parameter }` 的默认值只在第 { NUMBER($line, useGrouping: 0) } 行定义 `{ $function }` 时创建一次，不是每次调用都创建。{ $how ->
        [written] 某次调用中第 { NUMBER($left_line, useGrouping: 0) } 行写入的内容
       *[kept] 某次调用中第 { NUMBER($left_line, useGrouping: 0) } 行存入的内容（`{ $path }`）
    }，在第 { NUMBER($call_line, useGrouping: 0) } 行再次调用 `{ $function }` 时仍然存在。
fix-default_none = 每次调用时创建

finding-hook_left-title = 钩子属于写入之前的值
finding-hook_left = 第 { NUMBER($line, useGrouping: 0) } 行注册钩子之后，第 { NUMBER($write_line, useGrouping: 0) } 行才原地修改 `{ $name }`。钩子属于写入之前的值，所以在第 { NUMBER($needer_line, useGrouping: 0) } 行的反向传播中，它收到的是那个值的梯度。
fix-hook_after = 在写入之后注册钩子

## 形状

# 关于形状的说明都以它开头。
error-shapes =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的形状是 `{ $left_shape }`，`{ $right }`{ $right_line ->
        [0] {" "}
       *[other] { $right_from ->
            [made] （第 { NUMBER($right_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($right_line, useGrouping: 0) } 行）
        }
    }的形状是 `{ $right_shape }`。

finding-matmul_mismatch-title = 这两个形状不能相乘
finding-matmul_mismatch =
    { error-shapes }{ $rule ->
        [inner] 第 { NUMBER($line, useGrouping: 0) } 行的矩阵乘法沿 `{ $left }` 的最后一维和 `{ $right }` 的{ $right_at ->
            [-1] 唯一一维
           *[other] 倒数第二维
        }求和，两者大小必须相同：{ NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
        [equal_batch] `bmm` 逐个相乘矩阵，所以第 { NUMBER($line, useGrouping: 0) } 行两者的第一维必须相同：{ NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
        [batch] 第 { NUMBER($line, useGrouping: 0) } 行中，最后两维之前的维是批次维，必须相等或为 1：第 { $left_at } 维上 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
        [dimensions] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 需要一个 { $left_wanted } 维张量和一个 { $right_wanted } 维张量，而这里是 { $left_count } 维和 { $right_count } 维。
        [transposed] 第 { NUMBER($line, useGrouping: 0) } 行的 `linear` 乘以转置后的权重，权重的最后一维是输入特征：两者的最后一维必须相同，而大小是 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) }。
       *[no_dimension] 第 { NUMBER($line, useGrouping: 0) } 行的矩阵乘法要求两边都至少有一维；与单个数相乘请用 `*`。
    }{ $advice ->
        [right] 转置 `{ $right }` 的最后两维后就能相乘。
        [left] 转置 `{ $left }` 的最后两维后就能相乘。
        [both] 转置其中任何一个的最后两维都能相乘，但两种结果不同。
       *[none] {""}
    }{ error-caught }

finding-broadcast_mismatch-title = 这两个形状不能广播
finding-broadcast_mismatch =
    { error-shapes }{ $rule ->
        [equal] 第 { NUMBER($line, useGrouping: 0) } 行逐元素计算：从最后一维往前比较，每一维的大小必须相等或为 1。第 { $at } 维上 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
        [written] 第 { NUMBER($line, useGrouping: 0) } 行把后者写入前者，所以从最后一维往前，后者每一维的大小必须与前者相同或为 1。第 { $at } 维上 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
       *[in_place] 两者广播后的形状是 `{ $result }`，而第 { NUMBER($line, useGrouping: 0) } 行要把结果写入 `{ $left }`，它的形状不能改变。
    }{ $advice ->
        [right] 在末尾加一个大小为 1 的维度（`unsqueeze(-1)`）后，`{ $right }` 就能广播。
        [left] 在末尾加一个大小为 1 的维度（`unsqueeze(-1)`）后，`{ $left }` 就能广播。
       *[none] {""}
    }{ error-caught }

finding-reshape_mismatch-title = 无法得到这个形状
finding-reshape_mismatch =
    `{ $left }`{ $left_line ->
        [0] {" "}
       *[other] { $left_from ->
            [made] （第 { NUMBER($left_line, useGrouping: 0) } 行）
           *[view] （来自第 { NUMBER($left_line, useGrouping: 0) } 行）
        }
    }的形状是 `{ $left_shape }`{ $rule ->
        [count] ，共 { NUMBER($elements, useGrouping: 0) } 个元素。第 { NUMBER($line, useGrouping: 0) } 行要的形状 `{ $wanted }` 有 { NUMBER($number, useGrouping: 0) } 个。`{ $function }` 保留所有元素，两者个数必须相等。
        [rest] ，共 { NUMBER($elements, useGrouping: 0) } 个元素。第 { NUMBER($line, useGrouping: 0) } 行要的形状是 `{ $wanted }`，其中 -1 由其余各维算出，而 { NUMBER($elements, useGrouping: 0) } 不是 { NUMBER($number, useGrouping: 0) } 的倍数。
        [two] 。第 { NUMBER($line, useGrouping: 0) } 行要的形状是 `{ $wanted }`，但只能有一维是 -1，有两个时无法确定大小。
        [fewer] 。第 { NUMBER($line, useGrouping: 0) } 行要把它扩展成 `{ $wanted }`，维数变少了；`expand` 只能在前面加维。
       *[expand] 。第 { NUMBER($line, useGrouping: 0) } 行要把它扩展成 `{ $wanted }`，但 `expand` 只重复大小为 1 的维：第 { $number } 维的大小是 { NUMBER($left_size, useGrouping: 0) }，不是 1，不能变成 { NUMBER($wanted_size, useGrouping: 0) }。
    }{ error-caught }

finding-join_mismatch-title = 这些张量不能拼接
finding-join_mismatch =
    { error-shapes }{ $rule ->
        [size] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 沿第 { $dimension } 维拼接，其余各维的大小必须相同：第 { $at } 维上 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
        [count] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $function }` 沿已有的一维拼接，所以维数必须相同：{ $left_size } 和 { $right_size } 不相等。
        [stack] 第 { NUMBER($line, useGrouping: 0) } 行的 `stack` 新增一维，所以所有形状必须相同：第 { $at } 维上 { NUMBER($left_size, useGrouping: 0) } 和 { NUMBER($right_size, useGrouping: 0) } 不相等。
       *[stack_count] 第 { NUMBER($line, useGrouping: 0) } 行的 `stack` 新增一维，所以所有形状必须相同；而这里是 { $left_size } 维和 { $right_size } 维。
    }{ error-caught }

finding-layer_input-title = 这一层需要另一种形状的输入
finding-layer_input =
    { error-shapes }{ $rule ->
        [size] `{ $module }`（`{ $layer }`）需要 { NUMBER($wanted, useGrouping: 0) } 个{ $layer ->
            [Linear] 特征
            [LayerNorm] 特征
            [RMSNorm] 特征
            [MultiheadAttention] 特征
            [LSTM] 特征
            [GRU] 特征
            [RNN] 特征
            [LSTMCell] 特征
            [GRUCell] 特征
            [RNNCell] 特征
           *[other] 通道
        }，而第 { NUMBER($line, useGrouping: 0) } 行中输入的第 { $at } 维大小是 { NUMBER($size, useGrouping: 0) }。
       *[dimensions] `{ $module }`（`{ $layer }`）需要 { $less ->
            [0] { $wanted }
           *[other] { $less } 或 { $wanted }
        } 维的输入，而第 { NUMBER($line, useGrouping: 0) } 行的输入是 { $size } 维。
    }{ $advice ->
        [flatten] 从第 1 维起展平（`torch.flatten({ $left }, 1)`）后就匹配。
        [channels_last] 最后一维正好是这个大小；如果它是通道维，可用 `permute` 移到第 1 维。
       *[none] {""}
    }{ error-caught }

finding-loss_target-title = 这个损失需要另一种目标
finding-loss_target =
    { error-shapes }{ $rule ->
        [batch] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 要求输入的每一行对应一个类别下标，所以目标应有 { NUMBER($wanted, useGrouping: 0) } 个，而不是 { NUMBER($size, useGrouping: 0) } 个。
        [dimensions] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 要求输入的每一行对应一个类别下标，所以目标应比输入少一维。
        [dtype] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 需要 dtype 为 `int64` 的类别下标，而 `{ $right }` 的 dtype 是 `{ $dtype }`；可用 `{ $right }.long()` 转换。
        [probabilities] 形状与输入相同的目标会被当作类别概率，必须是浮点数，而 `{ $right }` 的 dtype 是 `{ $dtype }`。如果是类别下标，第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 要求输入的每一行对应一个。
        [floats] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 需要 dtype 与输入相同（`{ $given_dtype }`）的浮点目标，而 `{ $right }` 的 dtype 是 `{ $dtype }`。
        [spatial] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 把输入的第 1 维当作类别，要求其余每个位置对应一个类别下标，即形状为 `{ $wanted_shape }` 的目标。
       *[equal] 第 { NUMBER($line, useGrouping: 0) } 行的 `{ $loss }` 逐元素比较，不做广播，所以两者形状必须相同。
    }{ $advice ->
        [squeeze] `{ $right }.squeeze(1)` 的形状正好匹配。
        [transpose] 如果 `{ $left }` 的最后一维是类别，`{ $left }.transpose(1, 2)` 会把它移到第 1 维。
       *[none] {""}
    }{ error-caught }

finding-loss_broadcast-title = 损失对输入和目标做了广播
finding-loss_broadcast =
    `{ $left }` 的形状是 `{ $left_shape }`，`{ $right }` 的形状是 `{ $right_shape }`。第 { NUMBER($line, useGrouping: 0) } 行把两者广播成 `{ $result }`，因此{ $how ->
        [comparison] 这里
        [product] 这里
       *[loss] 损失
    }把每个元素与对方的多个元素{ $how ->
        [product] 相乘
       *[loss] 比较
    }。请让两者形状相同，例如用 `squeeze` 或 `unsqueeze`。

## 发现

when-saved = 保存时
now = 现在
its-counter = 版本计数器
value-in = `{ $storage }` 中的值
same-counter = 相等，不报错
changed-counter = 变了，报错
same-value = 没变
changed-value = 变了
card-saved = `{ $node }` 的 `{ $slot }`
card-things = 与之有关
step-part = { $part }：第 { NUMBER($line, useGrouping: 0) } 行
part-saver = 保存
part-writer = 写入
part-write = 写入
part-needer = 用到
part-maker = 创建
part-cut = 断开
part-use = 使用
part-first = 第一次反向传播
part-second = 第二次反向传播
part-freeze = 冻结
to-step = 第 { NUMBER($step, useGrouping: 0) } 步，第 { NUMBER($line, useGrouping: 0) } 行
shapes-label = 两个形状，逐维对照
shapes-wanted = 要求的形状
shapes-taken = `{ $module }` 接受的形状
shapes-any = 任意
trial-pending = 正在尝试……
trial-works = 试过了，能修好这一处。
trial-fails = 试过了，不能修好这个程序。
trial-untried = 还没有试过。
trial-untold = 试过了，但无法判断是否有效。
trial-unsteady = 无法判断：程序每次运行的结果都不同。
trial-unknown = 现在无法试这个改法。
trial-try = 试一试
trial-try-fix = 试一试：{ $fix }
