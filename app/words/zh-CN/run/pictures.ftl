### 图中方框里的文字。

saved-stale-freed = 曾过期 · 已释放
