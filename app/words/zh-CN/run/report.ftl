### `stepgrad check` 在发现的问题之外说的话。

report-summary =
    { NUMBER($files, useGrouping: 0) } 个文件，发现 { NUMBER($findings, useGrouping: 0) } 个问题，{ $broken ->
        [0] 所有运行都已结束
       *[other] { NUMBER($broken, useGrouping: 0) } 次运行没有运行到底
    }
