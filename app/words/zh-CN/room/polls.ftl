# 老师向课堂提出的问题。

poll-title = 接下来会怎样？
poll-practice = 练习，不计分。运行记录就在这台设备上，答案可以查到。
poll-practice-teacher = 练习，不计分：运行记录在每部手机上，答案可以查到。公布答案之前，不显示下一步。
poll-count = { $count } 个回答
poll-hidden = 公布答案时显示投票。
poll-others = 另有 { $count } 个其他回答
poll-mine = 你的回答
poll-right = 正确
poll-truth = torch 的结果是 { $truth }。
poll-given = 你的回答：{ $answer }。公布答案之前可以更改。
poll-not-given = 你还没有回答。
poll-closed = 不再接受回答。
poll-reveal = 公布答案并前进
poll-show = 显示投票
poll-hide = 隐藏投票
poll-hands = 统计举手
poll-hands-other = 其他回答
poll-hands-number = 举手人数
poll-hands-count = 计入
poll-drop = 撤回问题
poll-ask = 向全班提问
poll-ask-none = 关于下一步没有可问的问题。
poll-live = 投票时即时显示结果
poll-button = 提问

key-ask = 课堂：就下一步向全班提问
key-reveal = 课堂：公布答案并前进；前进一步的效果相同
key-votes = 课堂：即时显示投票，或隐藏投票
key-hands = 课堂：统计举手
key-drop = 课堂：撤回问题
answer-hint-choice = 选择一个。
ask-stale-by = 是第 { NUMBER($line, useGrouping: 0) } 行使它过时的吗？（还是之前就已过时？）
