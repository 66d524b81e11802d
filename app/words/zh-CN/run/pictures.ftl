### 图中方框里的文字。

saved-stale-freed = 曾过期 · 已释放
cells-wrong = ≠ { $all } 个中 { $count } 个
