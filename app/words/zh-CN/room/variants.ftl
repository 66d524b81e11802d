# 变体：全班每人改一行，结局相同的运行合并计数。

variants-title = 变体
variants-button = 变体
variants-asked = 改一行代码，为全班运行它。
variants-over = 不再收集运行。
variants-run-counts = 现在运行会计入全班。以你最后一次运行为准。
variants-counted = 你的运行已计入全班。再次运行会取代它：以最后一次为准。
variants-counted-over = 你最后一次运行已计入全班。不再收集运行。
variants-write = 改一行
variants-write-again = 再改一次
variants-outcomes = 结局
variants-count = 已运行 { $count } 个变体
variants-hidden = 结局已隐藏。
variants-hidden-count = 已运行 { $count } 个变体，结局已隐藏
variants-few = 少于 3 人的结局只计数，不单独显示。
variants-others = 另有 { $count } 个，其结局少于 3 人相同

variants-raised = { $line ->
    [0] 引发 `{ $exception }`
   *[other] 第 { NUMBER($line, useGrouping: 0) } 行引发 `{ $exception }`
}
variants-raised-some = { $line ->
    [0] 引发了自定义异常
   *[other] 第 { NUMBER($line, useGrouping: 0) } 行引发了自定义异常
}
variants-silently-wrong = { $line ->
    [0] 有梯度出错而没有报错
   *[other] 第 { NUMBER($line, useGrouping: 0) } 行导致梯度出错而没有报错
}
variants-stale = { $line ->
    [0] 有保存的张量过期
   *[other] 第 { NUMBER($line, useGrouping: 0) } 行导致保存的张量过期
}
variants-finished = 运行完成，结果 { NUMBER($number, useGrouping: 0) }
variants-exited = 自行退出
variants-stopped = 达到记录的步数上限
variants-timed-out = 运行时间过长
variants-out-of-memory = 需要的内存过多
variants-output-too-large = 打印的内容过多
variants-trace-too-large = 运行记录过大
variants-crashed = 崩溃
variants-interfered = 干扰了自身的记录
variants-otherwise = 以其他方式结束

variants-collect = 收集变体
variants-close = 停止收集
variants-open = 继续收集
variants-hide = 对全班隐藏
variants-show = 向全班显示
variants-end = 全部删除
variants-end-sure = 确定全部删除
variants-none = 现在没有收集变体。每名学生改动全班所跟随代码中的一行并运行它；结局相同的运行合并计数。
variants-means = 数值和代码只显示在此页面。全班能看到 3 人及以上的结局，以及你展示的结局。
variants-hidden-means = 数值和代码只显示在此页面。在你显示之前，全班看不到任何结局。
variants-presented = 此页面正在演示：不显示数值、代码和少于 3 人的结局。
variants-choose = 选择一个结局，查看改动了什么。
variants-pick = 选取
variants-picked = 已选取
variants-pick-named = 选取：{ $end }
variants-picked-named = 已选取：{ $end }
variants-pick-means = 选取一个结局，与原代码并排显示；或选取两个，彼此并排显示。
variants-wrote = { $count } 名学生
variants-unchanged = 没有改动。
variants-changed = 改动的行
variants-show-one = 与原代码并排显示
variants-show-two = 将两者并排显示
variants-compared = 全班正在看比较。
variants-back = 回到原代码

variants-of-room = 全班的代码
variants-one = 一个变体
variants-one-ended = 变体：{ $end }

key-variants = 课堂：收集代码的变体，查看它们的结局
key-variants-run = 课堂：改一行代码，为全班运行它
key-variants-hide = 课堂：隐藏或显示变体的结局

error-no_variants = 这里已不再收集变体：请再次运行，只为自己运行。
error-variants_closed = 老师不再收集变体：请再次运行，只为自己运行。
error-unknown_class = 没有变体以这种方式结束，或已经没有：请选择一个显示的结局。
error-too_large_variant = 变体不能这么长（最多 8 KiB）：请缩短它；或先跟随老师，再编辑你的副本，只为自己运行。
