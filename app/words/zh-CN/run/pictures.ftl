### 运行的图示

## 图中方框里的文字

saved-stale-freed = 曾过期 · 已释放
summary-image = 第一张图像，最多显示 32 × 32 个像素。黑色是存储中的最小值，白色是最大值，红色是 NaN 或无穷大。
cells-wrong = ≠ { $all } 个中 { $count } 个
graph-line-odd = 返回了 { $value } · 第 { NUMBER($line, useGrouping: 0) } 行
graph-odd = 返回了 { $value }
graph-unreached = 没有梯度
graph-cut = 断开：第 { NUMBER($line, useGrouping: 0) } 行

## 没有名字的东西由谁持有

keeper-view = 它是 `{ $name }` 的基张量，被 `{ $name }` 引用，所以未释放。
keeper-view-short =
    { $name }
    的基张量
keeper-saved = `{ $node }` 把它保存为 `{ $slot }`，仍在引用它。
keeper-saved-short =
    被保存于
    { $node }
keeper-grad = 它是一个未命名张量的 `grad`。
keeper-grad-short = 某个 grad
keeper-leaf = 计算图中它的 `AccumulateGrad` 仍在引用它。
keeper-leaf-short = 叶子
keeper-unknown = 没有名字
numpy = NumPy
numpy-means = 与 NumPy 的 { $names } 共用内存
kept-by = 只被它引用

## 优化器状态的名字，分两行

tag-state =
    { $name } 的
    { $state }
