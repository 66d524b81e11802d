### 讲义：由某些步骤处的录制、备注和问题组成的页面。

lectures = 讲义
lectures-words = 可以直接讲授：每份讲义约 15 分钟，包含可以照着说的备注、可以逐步查看的图和可以提出的问题。
lectures-all = 全部讲义
lectures-own = 您制作的 { $count } 份讲义
lecture-length = { $minutes } 分钟，{ $parts } 个部分
lecture-skip = 跳到讲义正文
lecture-by = 作者：{ $author }
lecture-failed = 无法显示这幅图：Stepgrad 自身出错了。
lecture-untitled = 讲义
lecture-part = 第 { $number } 部分
lecture-picture = 第 { $number } 部分的{ $picture }
lecture-picture-waits = 正在绘制这幅图。
lecture-live = 逐步查看
lecture-at = 第 { $step } 步，共 { $count } 步，第 { $line } 行
lecture-open = 在 Stepgrad 中打开
lecture-gone = 这一部分显示的录制已被删除。
lecture-question = 问题：
lecture-answer-show = 显示答案
lecture-tally = 每个答案的人数
lecture-count = { $count }
lecture-print = 打印
lecture-drawing = 正在为打印绘制全部图。
lecture-recorded = 每幅图都由一次真实的 PyTorch 运行的录制绘制而成。
lecture-report-title = 举报这份讲义

## Making one

lecture-make = 制作讲义
lecture-make-hint = 您停留过的步骤会成为一个有自己链接的页面。您写的内容会显示给每个有链接的人。
lecture-empty = 还没有保留任何步骤。在演示模式下，显示满两秒的步骤会被保留。
lecture-keep-this = 添加当前步骤
lecture-title = 标题
lecture-author = 作者
lecture-part-asked = 附一个问题和 { $count } 个回答
lecture-part-at = 第 { $number } 部分：第 { $step } 步，第 { $line } 行
lecture-raise = 上移
lecture-lower = 下移
lecture-raise-part = 上移第 { $number } 部分
lecture-lower-part = 下移第 { $number } 部分
lecture-note-en = 英文备注
lecture-note-zh = 中文备注
lecture-note-en-of = 第 { $number } 部分的英文备注
lecture-note-zh-of = 第 { $number } 部分的中文备注
lecture-publish = 发布 { $count } 个部分
lecture-publishing = 正在发布讲义。
lecture-made = 讲义已发布。
lecture-read = 阅读
lecture-edit = 编辑
lecture-save = 保存
lecture-delete = 删除这份讲义
lecture-deleted = 讲义已删除。

## Refusals

error-unknown_lecture = { error-unknown_lecture.message }：{ error-unknown_lecture.hint }
    .message = 这台服务器上没有这份讲义
    .hint = 请检查链接，或在 /lectures 选择一份。
error-unknown_part = 某个部分显示的链接已被删除。请去掉这个部分，或重新分享它的代码。
error-no_answer = 某个问题或统计不属于它的录制。请去掉这个部分。
error-too_large_for_lecture_file = 这份讲义的录制太大，无法放进一个文件。请通过链接阅读。
