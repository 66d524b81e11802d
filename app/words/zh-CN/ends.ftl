### 一次运行如何结束，每种一句：`end-<kind>`。行号 0 表示未知。

end-finished = 代码运行完毕。
end-raised =
    { $line ->
        [0] 代码抛出了
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行抛出了
    } { $type }：{ $message }
end-exited = 代码自行退出，退出码 { $code }。
end-stopped =
    { $limit ->
        [statements] 已执行 { $reached } 条语句，达到可记录的上限，运行已停止；到此为止的每一步都可以查看。
       *[steps] 已执行 { $reached } 步，达到可记录的上限，运行已停止；到此为止的每一步都可以查看。
    }
end-timed_out =
    { $clock ->
        [cpu] 运行用完了 { $seconds } 秒处理器时间，达到一次运行的上限，已被停止；到此为止的每一步都可以查看。
       *[wall] 运行持续了 { $seconds } 秒，达到一次运行的时长上限，已被停止；到此为止的每一步都可以查看。
    }
end-out_of_memory =
    { $line ->
        [0] 代码
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行
    }申请的内存超过了一次运行的上限 { $size }。
end-output_too_large = 代码的输出超过了 { $size }，已被停止；到此为止的每一步都可以查看。
end-trace_too_large = 运行记录超过了 { $size }，或超出了可以绘制的范围，已被停止；到此为止的每一步都可以查看。
end-cancelled = 已按要求停止运行；到此为止的每一步都可以查看。
end-crashed =
    { $name ->
        [SIGSYS] 运行向系统要求了任何代码都用不到的操作，因此被终止
        [SIGSEGV] 运行因 SIGSEGV 崩溃：内存地址错误
        [SIGABRT] 运行因 SIGABRT 崩溃：调用了 abort，库在无法继续时会这样做
        [SIGKILL] 运行未达到任何上限就被终止（SIGKILL）：机器内存不足，或有人终止了它
       *[other] 运行因 { $name } 崩溃
    }；到此为止的每一步都可以查看。
end-interfered = 代码干扰了对它自己的记录；此后的内容不可信，因此不再显示。
