### 用纯文本叙述一次运行。句子与页面上的相同；这里只有文本才用到的话。

transcript-line = 第 { NUMBER($line, useGrouping: 0) } 行：{ $text }
transcript-line-unknown = 第 ? 行
transcript-cut = （运行在此结束）
transcript-shortened = 文本在此截断：这一部分超过 { NUMBER($most) } 个字符。
transcript-shared = 分享者的话：{ $title }
transcript-more-calls = 第 { NUMBER($line, useGrouping: 0) } 行对 `{ $name }` 的另外 { NUMBER($count, useGrouping: 0) } 次调用从略。
transcript-more-lines = 另外 { NUMBER($count, useGrouping: 0) } 行类似的内容从略。
transcript-printed = 输出：{ $text }
transcript-digits = `{ $name }` 现在是约 { NUMBER($count, useGrouping: 0) } 位的整数。
transcript-finding =
    { $severity ->
        [error] 错误
        [warning] 警告
       *[hint] 提示
    }：{ $line ->
        [0] {""}
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行：
    }{ $title }
transcript-fix = 修复：{ $title }
transcript-leaf = { $name } 的 `AccumulateGrad`
transcript-looks-at =
    `{ $name }` 是一个新的{ $shape ->
        [none] 张量
        [scalar] 标量张量
       *[other] 张量，形状 { $shape }
    }，使用已有的存储 `{ $storage }`。

## 并列的几项：`a`、`b` 和 `c`

phrase-row-next = { $before }、{ $next }
phrase-row-last = { $before } 和 { $next }
phrase-sentences = { $before }{ $next }
