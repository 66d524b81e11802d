### Headings of the course: `lesson-group-<group>`.

lesson-group-path = 主线：入门十课
lesson-group-memory = 内存：哪些张量共用内存
lesson-group-views = 视图：一个存储，多个张量
lesson-group-versions = 版本：autograd 能发现哪些写入
lesson-group-leaves = 叶子张量：哪些张量得到梯度
lesson-group-cut = 断开的计算图
lesson-group-lifetime = 计算图何时释放
lesson-group-numpy = NumPy
lesson-group-modules = 模块与优化器
lesson-group-modes = 模式与自定义 Function

## 课程

lessons = 课程
course = 课程
course-words = 共 { $count } 课。每课先问一种说法对不对、代码会怎样，再运行，给出证据。最后由你自己动手改一处。
course-path-words = 刚接触 autograd？请按顺序学这十课：从第一个梯度，到一个算错却不报错的梯度。其余各课互相独立，需要时再看。
course-begin = 从第一课开始
course-go-on = 继续第 { $number } 课
course-lectures = 教师可用：三份现成的讲义。
course-all = 全部课程
course-lessons = { $count } 课
course-done = 已完成 { $done }/{ $count }
lesson-previous = 上一课
lesson-next = 下一课
lesson-place = 第 { $place } 课，共 { $count } 课
lesson-back = 回到本课
lesson-fixed = { $title }：改正后
course-description = 共 { $count } 课，讲解 PyTorch 背后的机制：哪些张量共用内存，autograd 保存了什么，能发现哪些写入。先预测，再运行，看证据，全在浏览器里。
course-not-begun = 未开始
course-right = 预测正确 { $count } 课
course-progress = 已完成的课
course-whole = 全部课程已完成。
course-groups = 课程各部分
course-search = 搜索课程和代码
course-found =
    { $count ->
        [0] 没有找到
       *[other] 找到 { $count } 课
    }
course-nothing = 没有课程与“{ $query }”匹配。试试其中一个词，或 PyTorch 里的名字。
course-search-clear = 显示全部课程
course-broken-fixed = 附改正
course-right-mark = 预测正确
course-wrong-mark = 预测错误
course-seen-mark = 已运行
course-shown-mark = 已运行，未预测
course-tried-mark = 已动手修改
course-needs-script = 课程在播放器里运行，需要 JavaScript。
skip-to-lesson = 跳到问题
skip-to-lessons = 跳到课程
lesson-claim = 说法
lesson-true = 对吗？
lesson-ask = 会发生什么？
lesson-predict = 预测并运行
lesson-just-run = 直接运行
lesson-right-words = 这是正确的写法。
lesson-stepped = 代码已经改动，所以课程内容已隐藏。
lesson-verdict = 结论
lesson-tell = 看答案
lesson-predicted-right = 你预测的是 { $letter }，预测正确。
lesson-predicted-wrong = 你预测的是 { $letter }。实际结果：
lesson-predicted-untold = 实际结果：
lesson-claim-right = 这个说法是对的
lesson-claim-wrong = 这个说法是错的
lesson-claim-half = 这个说法部分正确
lesson-proof = 证据
lesson-seen = 在这次运行中看到
lesson-stated = PyTorch 的回答（不经过 Stepgrad）
lesson-beside = 错误 | 改正，并排看
lesson-open-fixed = 打开改正后的代码
lesson-now-try = 动手试试
lesson-try-how = 按“编辑”，修改代码，再按“运行”。检查的是运行结果，不是代码文字。
lesson-try-made = 完成：你的运行做到了。
lesson-try-open = 还没有：你的运行没有做到。
lesson-try-holds = 成立：
lesson-try-fails = 不成立：
lesson-try-finishes = 运行正常结束
lesson-try-raises = 运行抛出 { $type }
lesson-try-way = 看一种改法
lesson-try-remove = 删除这一行

## 给搜索引擎看的页面介绍

page-description = 运行一段 PyTorch 代码，一步一步看：autograd 计算图、张量共享的内存、版本计数器、梯度。
shared-by = 由“{ $author }”分享。
shared-untitled = 逐步查看一次 PyTorch 运行
shared-picture = 这次运行在某一步的内存：名字、张量和存储
shared-description = 一段有人分享的 PyTorch 代码，可以一步一步看：autograd 计算图、张量共享的内存、梯度。
needs-script = Stepgrad 在浏览器里绘图，需要 JavaScript。
