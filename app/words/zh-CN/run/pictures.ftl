### 图中方框里的文字。

saved-stale-freed = 曾过期 · 已释放
cells-wrong = ≠ { $all } 个中 { $count } 个
graph-line-odd = 返回了 { $value } · 第 { NUMBER($line, useGrouping: 0) } 行
graph-odd = 返回了 { $value }
