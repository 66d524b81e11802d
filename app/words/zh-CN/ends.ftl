### 一次运行如何结束，每种一句：`end-<kind>`。行号 0 表示未知。

end-finished = 代码运行完毕。
end-raised =
    { $line ->
        [0] 代码抛出了
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行抛出了
    } { $type }：{ $message }
end-exited = 代码自行退出，退出码 { $code }。
end-stopped =
    { $where ->
        [process] 记录
       *[sandbox] 运行
    }在执行 { $limit ->
        [statements] { $reached } 条语句
       *[steps] { $reached } 步
    }后停止，这是记录的上限{ $where ->
        [process] ；程序继续运行。
       *[sandbox] 。
    }到此为止的每一步都可以查看。
end-timed_out =
    { $clock ->
        [cpu] 运行在使用 { $seconds } 秒处理器时间后停止，这是一次运行的上限。
       *[wall] 运行在 { $seconds } 秒后停止，这是一次运行的时长上限。
    }到此为止的每一步都可以查看。
end-out_of_memory =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }需要的内存超过了一次运行的上限 { $size }。
end-output_too_large = 输出超过了 { $size }，运行已停止。到此为止的每一步都可以查看。
end-trace_too_large =
    { $where ->
        [process] 记录超过了 { $size }，记录已停止；程序继续运行。
       *[sandbox] 运行记录超过了 { $size }，或者太大而无法绘制，运行已停止。
    }到此为止的每一步都可以查看。
end-cancelled = 已按要求停止运行。到此为止的每一步都可以查看。
end-worker_stopped = 运行这段代码的工作机停止了。到此为止的每一步都可以查看；要看其余部分，请再运行一次。
end-crashed =
    { $name ->
        [SIGSYS] 代码执行了不允许的系统调用（SIGSYS），运行已被终止。
        [SIGSEGV] 运行因 SIGSEGV 崩溃：非法的内存访问。
        [SIGABRT] 运行因 SIGABRT 崩溃：调用了 abort，通常是因为某个库无法继续。
        [SIGKILL] 运行没有达到任何上限就被终止（SIGKILL）：机器内存不足，或有人终止了它。
       *[other] 运行因 { $name } 崩溃。
    }到此为止的每一步都可以查看。
end-interfered = 代码干扰了对自身的记录。此后的内容不可信，不再显示。
