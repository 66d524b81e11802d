### 编辑器里的查找和补全。

find = 查找
find-by = 替换为
find-next = 下一个
find-previous = 上一个
find-all = 全选
find-case = 区分大小写
find-regexp = 正则表达式
find-words = 整个单词
find-replace = 替换
find-replace-all = 全部替换
find-current = 当前匹配
find-on-line = 所在行
find-replaced = 替换了 $ 处
find-replaced-one = 替换了第 $ 行的一处
completions = 名称
