### 页面上的文字。

## 页首

lesson-own = 自己的代码
language = 语言
theme = 浅色或深色
share = 分享
share-way-link = 链接
share-way-class = 课堂
share-way-embed = 嵌入
share-way-file = 文件
share-copied = 链接已复制。
share-made = 请选中链接并复制。
share-copy = 复制链接
share-at-step = 打开时停在第 { $step } 步
share-as-seen = 保持我现在看到的样子：缩放、分组、固定和隐藏的名字、“为何？”、语言
share-title = 标题
share-author = 作者
share-heading-hint = 两项都可不填，填写后公开显示在代码上方，并注明是分享者写的。
share-notes = 同时公开我对 { $count } 个步骤写的备注，打开链接的人都能看到
shared-note = 分享者的备注
share-heading-keep = 保存
share-heading-kept = 已保存。
share-qr = 二维码
share-qr-of = { $link } 的二维码
share-no-network = 手机打不开这个链接：这个地址只属于本机，而本机没有连接任何网络。
share-listen-nearby = 手机打不开这个链接：这个地址只属于本机。请先让服务器可以从网络访问，再用下面的地址打开页面：
share-open-nearby = 手机打不开这个链接：这个地址只属于本机。请用下面的地址打开页面，再从那里分享：
share-embed = 把这段 HTML 放进网页，网页里就会显示这份记录。
share-embed-code = 框架的 HTML 代码
share-embed-off = 这台服务器的管理员没有允许任何网页显示记录。
share-embed-operator = 给管理员
share-embed-setting = 要允许某个网页，请在启动服务器时写明它的源：
share-embed-height = 框架会把自己需要的高度告诉所在网页：类型为“stepgrad”的消息，高度以像素计。
share-file = 下载为单个文件
share-file-hint = 无需网络和服务器，在任何浏览器中都能回放这份记录。
embed-open = 在 Stepgrad 中打开
embed-player = 记录
embed-picture = 图示
embed-failed = 记录无法显示。
share-code = 自带代码的链接
share-code-label = 自带代码的链接
share-code-hint = 代码压缩后就写在链接里：服务器不保存，因此也无法删除。打开链接只显示代码，不会运行。
share-code-length = 长 { $length } 个字符。
share-code-long = 这段代码太长：链接会有 { $length } 个字符，而邮件和聊天软件会截断超过 { $most } 个字符的链接。
code-link-opened = 这段代码来自链接，还没有运行过。请先读一遍，再按“运行”。
code-link-unsupported = 这个浏览器太旧，无法压缩或解压链接里的代码。
code-link-broken = 链接里的代码无法解压：链接不完整，或在传递中被改动。
code-link-large = 链接里的代码超过本服务器允许的长度，因此没有解压。
code-link-not-text = 链接里的内容不是 UTF-8 文本。
code-link-nul = 链接里的代码含有 NUL 字符，Python 代码中不允许出现。
code-link-empty = 链接里没有代码。
share-own = 这个浏览器创建的链接：{ $count } 个
share-delete-short = 删除
share-delete-this = 删除 { $name }
share-delete = 删除这个链接
share-deleted = 链接已删除，代码还在这里。
report = 举报
report-title = 举报这个链接
report-hint = 举报的理由和日期会交给服务器管理员。除了用来区分重复举报的标记，不保存你的任何信息。
report-reason = 理由（可不填，一行）
report-send = 提交举报
report-sent = 管理员已收到你的举报。
shared-words = 由分享者填写
shared-author = 作者：{ $author }
shared-parent = 改自另一个链接
shared-parent-titled = 改自“{ $title }”
link = 链接
help = 帮助
close = 关闭
skip = 跳到代码
display = 显示
display-size = 文字大小
display-smaller = 缩小文字
display-larger = 放大文字
display-contrast = 高对比度
display-values = 代码旁的值
display-text = 用文字代替图
display-predict = 每一步先预测
display-character-keys = 单键快捷键
presenting = 演讲模式
leave-presenting = 退出演讲模式 (p)
screen-blank = 屏幕已变黑。按任意键恢复页面。
note-title = 第 { $step } 步的备注
note-hint = 保存在这个浏览器中。只有随链接公开备注时才会发送。
note-open = 这一步的备注
note-open-noted = 这一步的备注：已有
note-close = 关闭备注 (o)
note-here = 有备注
panes = 窗格
split-columns = 代码与步骤说明的宽度
split-pictures = 计算图的宽度
split-stacked = 计算图的高度
split-code = 代码的高度
split-lower = 图的高度
split-sides = 运行 A 的宽度
split-upper = 代码与步骤说明的高度
split-listing = 代码的宽度
split-compared = 计算图的宽度
maximise-pane = 让这个窗格占满页面
restore-panes = 恢复其他窗格
pane-alone = 现在只显示一个窗格：{ $pane }。按 m 或 Escape 恢复其他窗格。
panes-back = 所有窗格都已显示。
split-hint = 拖动，或按方向键；双击或按 Enter 恢复默认大小
tab-code = 代码
tab-story = 本步
tab-graph = 计算图
tab-memory = 内存
tab-variables = 变量
tab-output = 输出

## 代码

code = 代码
run = 运行
stop = 停止
examples = 示例
live = 实时
live-hint = 边写边运行：每次停顿后自动运行
edit = 编辑
recording = 显示上一次的记录（F2）
recording-old = 这是记录里的代码。你的修改在编辑器里（F2）。
editor-keys = Tab 缩进。先按 Esc 再按 Tab 离开编辑器。
nothing-ran = 没有运行任何内容：没有语句，只有注释或空行。
line-never = 第 { NUMBER($line, useGrouping: 0) } 行在这次记录中没有运行。
line-once = 第 { NUMBER($line, useGrouping: 0) } 行没有别的步骤。
line-wrapped = 第 { NUMBER($line, useGrouping: 0) } 行之后没有步骤。现在显示它的第一步。
line-wrapped-back = 第 { NUMBER($line, useGrouping: 0) } 行之前没有步骤。现在显示它的最后一步。
breakpoint = 断点
breakpoint-set = 第 { NUMBER($line, useGrouping: 0) } 行有了断点。按 `c` 运行到它。
breakpoint-removed = 第 { NUMBER($line, useGrouping: 0) } 行的断点已移除。
breakpoint-none = 还没有断点：点击行号旁边，或按 `x`。
breakpoint-last = 这一步之后没有断点。
breakpoint-first = 这一步之前没有断点。
breakpoint-next = 下一个断点（c）
breakpoint-previous = 上一个断点（Shift+c）
value-unbound = 在这一步没有值
value-inactive = 属于这一步未在执行的调用
badge-ran = 刚执行
badge-running = 正在执行
badge-raised = 抛出异常
badge-next = 下一行
old-run = 图中显示的是上一次运行。按“运行”来运行新代码。
imports = 代码可以导入{ $packages }。
gpu-pool = 提到 cuda 的代码在本机的 GPU 上运行，可以直接访问其驱动程序：仅供可信任的班级使用。
standard-library = 标准库

## 正在进行的运行

run-sent = 正在运行……
run-waiting =
    { $before ->
        [0] 正在排队：下一个就轮到你
       *[other] 正在排队：前面还有 { $before } 个
    }
run-line =
    { $line ->
        [0] 正在运行
       *[other] 正在运行：第 { NUMBER($line, useGrouping: 0) } 行
    }
run-operators = 已运行 { $count } 个算子
run-reading = 已收到运行结果，正在读取……
run-reading-part = { $percent }%
run-drawing = 已收到运行结果，正在排布图……
run-loading = 已收到运行结果，正在加载计算图的排布程序……
run-stopping = 正在停止……
stopped-waiting = 这次运行还没开始就被停止了。
spoken-waiting = 正在排队。按 Esc 停止。
spoken-running = 代码正在运行。按 Esc 停止。
retry = 再试一次
retry-in = { $seconds } 秒后可再试
retry-ready = 现在可以再试了。

## 由 CPU 代替 GPU

stand-in = CPU 代替 GPU
stand-in-hint = 用 CPU 代替 GPU：可以使用 device="cuda"，张量报告的是该设备，所有数值都在 CPU 上计算。
stood-in-short = cuda:0 由 CPU 代替
stood-in = 设备 cuda:0 由 CPU 代替：张量报告它本应所在的设备。所有数值都由 CPU 的算子计算；GPU 可能使用别的算子，产生的随机数也不同。

## 开始

start-title = 看清 PyTorch 如何保存张量、共享内存、求导
demo = 逐步回放第一个示例
start-words = 粘贴一段代码，或选一课，然后按“运行”。每一步都会显示计算图、哪些张量共用内存、哪些版本计数器变了，以及梯度如何传回去。

## 错误

error-unreachable = { error-unreachable.message }：{ error-unreachable.hint }
    .message = 连接不到服务器
    .hint = 请检查网络后再试。
error-broken = { error-broken.message }：{ error-broken.hint }
    .message = 运行还没结束，连接就断了
    .hint = 请再试一次。
error-unreadable = { error-unreadable.message }：{ error-unreadable.hint }
    .message = 服务器的回答无法读取
    .hint = 请稍后再试。
error-sandbox_unavailable = { error-sandbox_unavailable.message }：{ error-sandbox_unavailable.hint }
    .message = 服务器现在无法运行代码
    .hint = 请稍后再试。
error-no_worker = { error-no_worker.message }：{ error-no_worker.hint }
    .message = 现在没有可以运行代码的工作机
    .hint = 请稍后再试。链接仍然可以打开。
error-workers_unreachable = { error-workers_unreachable.message }：{ error-workers_unreachable.hint }
    .message = 运行代码的机器没有响应
    .hint = 请稍后再试。链接仍然可以打开。
error-run_lost = { error-run_lost.message }：{ error-run_lost.hint }
    .message = 这次运行被终止，或在途中丢失了
    .hint = 请再运行一次。
error-old_bundle = { error-old_bundle.message }：{ error-old_bundle.hint }
    .message = 打包文件比页面的脚本和样式表旧
    .hint = 请运行 `make bundle`，然后重新加载页面。
error-too_many_connections = 现在访问的人太多，服务器无法服务更多。
error-busy = 现在排队运行的代码太多了。
error-visitor_busy = { error-visitor_busy.message }：{ error-visitor_busy.hint }
    .message = 你已有两次运行正在进行或排队
    .hint = 请等一等，或停止其中一次。
error-address_busy = 现在你所在的网络排队运行的代码太多了。
error-too_often = 你在短时间内发来的请求太多了。
error-page = { error-page.message }：{ error-page.hint }
    .message = 页面出了问题
    .hint = 请重新加载，代码已保留。
error-too_much_at_once = { error-too_much_at_once.message }：{ error-too_much_at_once.hint }
    .message = 现在发给服务器的内容太多，服务器无法全部接收
    .hint = 请稍后再试。
error-operators_only = { error-operators_only.message }：{ error-operators_only.hint }
    .message = 只有这台服务器的管理员能看到这个页面
    .hint = 他们的网络列在 STEPGRAD_OPERATORS 里。
error-stopping = { error-stopping.message }：{ error-stopping.hint }
    .message = 这台服务器正在停止或重新启动
    .hint = 请稍后再试。
error-too_slow = { error-too_slow.message }：{ error-too_slow.hint }
    .message = 代码没能及时送到服务器
    .hint = 请检查网络后再试。
error-too_large = { error-too_large.message }：{ error-too_large.hint }
    .message = 代码超过了这台服务器接受的大小
    .hint = 请缩短一些。
error-empty_snippet = { error-empty_snippet.message }：{ error-empty_snippet.hint }
    .message = 代码是空的
    .hint = 请至少写一行 Python。
error-not_text = { error-not_text.message }：{ error-not_text.hint }
    .message = 代码里有不是文本的内容，例如不完整的字符
    .hint = 请以纯文本重新粘贴。
error-unknown_snippet = { error-unknown_snippet.message }：{ error-unknown_snippet.hint }
    .message = 这个地址没有代码，或者已被删除
    .hint = 请检查链接，或重新开始。
error-held_back = { error-held_back.message }：{ error-held_back.hint }
    .message = 服务器管理员暂时停用了这个链接
    .hint = 请过几天再试，或询问管理员。
error-embed_gone = { error-embed_gone.message }：{ error-embed_gone.hint }
    .message = 这里原来的记录已被删除
    .hint = 网页的作者可以去掉这个框架。
error-outdated_recording = { error-outdated_recording.message }：{ error-outdated_recording.hint }
    .message = 这份记录由旧版 Stepgrad 生成，无法在这里显示
    .hint = 请在 Stepgrad 中打开，届时会重新记录。
error-not_embedded = { error-not_embedded.message }：{ error-not_embedded.hint }
    .message = 这个地址没有可供其他网页显示的记录
    .hint = 请检查链接，或询问服务器管理员。
error-only_json = { error-only_json.message }：{ error-only_json.hint }
    .message = oEmbed 只提供 JSON 格式
    .hint = 请使用 format=json。
error-no_public_address = { error-no_public_address.message }：{ error-no_public_address.hint }
    .message = 手机无法打开只属于本机的地址
    .hint = 请用网络中的地址打开本页，再分享。
error-wrong_token = { error-wrong_token.message }：{ error-wrong_token.hint }
    .message = 这个浏览器不能删除这个链接
    .hint = 请用生成它的浏览器，或询问服务器管理员。
error-quota_of_address = { error-quota_of_address.message }：{ error-quota_of_address.hint }
    .message = 你的网络今天的分享已达到这台服务器的每日上限
    .hint = 请在 UTC 零点以后再试。运行不受影响，已有的链接也不会丢失。
error-quota_of_visitor = { error-quota_of_visitor.message }：{ error-quota_of_visitor.hint }
    .message = 你今天的分享已达到这台服务器的每日上限
    .hint = 请在 UTC 零点以后再试。运行不受影响，已有的链接也不会丢失。
error-quota_of_reports = { error-quota_of_reports.message }：{ error-quota_of_reports.hint }
    .message = 你的网络今天的举报已达到这台服务器的每日上限
    .hint = 请在 UTC 零点以后再试，或直接联系服务器管理员。
error-unknown_recording = { error-unknown_recording.message }：{ error-unknown_recording.hint }
    .message = 服务器上没有这份记录，或者已被删除
    .hint = 请打开它的链接，或重新运行代码。
error-damaged_recording = { error-damaged_recording.message }：{ error-damaged_recording.hint }
    .message = 这个链接的记录在服务器上已损坏
    .hint = 请重新加载页面。代码是完整的，会重新记录。
error-unknown_lesson = { error-unknown_lesson.message }：{ error-unknown_lesson.hint }
    .message = 没有这个地址的课程
    .hint = 请到课程目录里查找。
error-unknown_comparison = { error-unknown_comparison.message }：{ error-unknown_comparison.hint }
    .message = 要比较的两段代码中有一段不在这里
    .hint = 请检查链接，或重新开始。
error-recording_gone = 服务器上已没有这份记录：请再运行一次代码。
recording-gone = 服务器上已没有这份记录，所以代码会再运行一次。
error-unknown_run = 这次运行已经结束了。
error-newer_recording = { error-newer_recording.message }：{ error-newer_recording.hint }
    .message = 这个链接是由更新版本的 Stepgrad 记录的
    .hint = 请告诉服务器管理员。
error-store_full = { error-store_full.message }：{ error-store_full.hint }
    .message = 服务器已没有空间保存
    .hint = 请告诉服务器管理员。运行和已保存的链接不受影响，内容不会丢失。
error-store_unavailable = { error-store_unavailable.message }：{ error-store_unavailable.hint }
    .message = 现在无法读取或保存链接
    .hint = 请稍后再试。运行不受影响。
error-internal = { error-internal.message }：{ error-internal.hint }
    .message = Stepgrad 自身出了问题
    .hint = 请再试一次；如果仍然出错，请告诉服务器管理员。
error-other_build = { error-other_build.message }：{ error-other_build.hint }
    .message = 这个页面与服务器的版本不同
    .hint = 请重新加载，代码已保留。
error-not_found = { error-not_found.message }：{ error-not_found.hint }
    .message = 这个地址没有内容
    .hint = 请检查地址，或重新开始。
error-foreign_host = { error-foreign_host.message }：{ error-foreign_host.hint }
    .message = 这台服务器不接受这个主机名
    .hint = 请使用它接受的主机名。
error-cross_site = { error-cross_site.message }：{ error-cross_site.hint }
    .message = 请求来自另一个网站，这是不允许的
    .hint = 请使用 Stepgrad 自己的页面。
error-invalid = { error-invalid.message }：{ error-invalid.hint }
    .message = 服务器无法理解这个请求
    .hint = 请重新加载页面，代码已保留。
error-malformed = { error-malformed.message }：{ error-malformed.hint }
    .message = 请求没有完整到达
    .hint = 请再试一次。
error-not_json = { error-not_json.message }：{ error-not_json.hint }
    .message = 服务器无法理解页面发送的内容
    .hint = 请重新加载页面，代码已保留。
error-method_not_allowed = { error-method_not_allowed.message }：{ error-method_not_allowed.hint }
    .message = 这个地址不接受这种请求
    .hint = 请重新开始。
notice-packages = 这次运行使用了{ $packages }，而这台服务器没有。页面显示的是当时的记录，但代码无法在这里再次运行。
notice-recorded_again = 这个链接的记录已无法读取，或者那次运行因意外而结束，所以重新记录了其中的代码。

## 图

graph = 计算图
graph-hint = 箭头 = next_functions
graph-overview = 这张图太大，无法整张画出。每一叠是其中一部分；点它的 + 展开。
graph-undrawn = 这张图的边太多，无法画出。代码、各步的说明和内存图仍然显示这次运行。
graph-too-many = 展开后计算图太大，无法画出。请展开更小的一部分，或先折叠别的组。
graph-line = 第 { NUMBER($line, useGrouping: 0) } 行
graph-line-of = 第 { NUMBER($line, useGrouping: 0) } 行 · { $name } 的 grad_fn
graph-freed = 第 { NUMBER($line, useGrouping: 0) } 行 · 已释放
group-round = 第 { NUMBER($round, useGrouping: 0) } 轮
group-rounds = 第 { NUMBER($first, useGrouping: 0) }–{ NUMBER($last, useGrouping: 0) } 轮
group-part = { $line ->
        [0] 节点 { NUMBER($first, useGrouping: 0) }–{ NUMBER($last, useGrouping: 0) }
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行 · { NUMBER($first, useGrouping: 0) }–{ NUMBER($last, useGrouping: 0) }
    }
group-nodes = { $count } 个节点
group-ran = { $count } 个节点 · 已运行 { $ran } 个
group-freed = { $count } 个节点 · 已释放
group-gradient = ∇ { $value }
group-fold = 折叠这一组
group-unfold = 展开这一组
folds = 节点分组
fold-level = 折叠一层
unfold-level = 展开一层
fold-all = 折叠所有组
unfold-all = 展开所有组
fold-by = 折叠方式
fold-by-all = 全部
fold-by-module = 模块
fold-by-call = 调用
fold-by-round = 轮次
search-open = 查找节点或名称 (/)
search-hint = 名称、算子、(4, 8)、第 12 行、S7
search-count = { $count ->
        [0] 没有
       *[other] { $place ->
            [0] { $count } 个 · Enter：第一个
           *[other] 第 { $place } / { $count } 个
        }
    }
search-at-step = Enter：第 { NUMBER($step, useGrouping: 0) } 步
search-next = 下一个 (Enter)
search-previous = 上一个 (Shift+Enter)
search-close = 关闭查找 (Esc)
zoom = 计算图大小
zoom-out = 缩小 (-)
zoom-fit = 适应窗格；再按一次显示全图 (0)
zoom-in = 放大 (+)
zoom-fit-word = 适应
memory = 内存
memory-hint = 变量名 → 张量 → 存储
memory-empty = 这次运行里没有已命名的张量。给张量起一个名字，例如 x = torch.ones(3)，它的内存就会画在这里。
saved-current = 有效
saved-stale = 已过期
saved-freed = 已释放
saved-hidden = 未显示
storage-freed = 已释放
storages-folded = { $count } 个存储，{ $bytes }
storages-saved = 由 { $nodes } 保存
storages-freed = { $count } 个存储，已释放
storages-all-freed = { $count } 个已释放的存储
storages-fold = 折叠这些存储
storages-unfold = 逐个显示这些存储
storages-unfold-freed = 在原来的行中显示已释放的存储
folds-storages = 折叠存储
storages-stale = { $count } 个已过期
storages-about =
    { $what ->
        [written] 写入 { $count } 个：{ $names }
        [new] 新增 { $count } 个：{ $names }
       *[read] 读取 { $count } 个：{ $names }
    }
same-bytes = { $storage } 的字节
was = 原值
unknown = 未知
empty-storage = 没有字节
cells-between = 另有 { $count } 个值
cells-unread = 另有 { $count } 个单元，没有已记录的张量读取
no-shape = 无形状
summary-count = { $count } 个值
summary-mean = 均值 { $value }
memory-others = 还有 { $count } 个存储：固定一个名字，它的存储就会显示在最前面
tensors-others = 还有 { $count } 个张量
more = +{ $count }

## 文字视图

as-text = 文字视图 (t)
as-text-word = 文字视图
key-construction = 进入构造模块的各步，或离开
key-hide = 在内存图中隐藏所跟踪的项
key-pin = 把所跟踪的项置顶，或取消置顶
key-why = 所跟踪的项为什么是这个值
key-values = 显示或隐藏代码旁的值
key-text = 图或文字

## 先猜：每一步之前的问题

predict-title = 第 { NUMBER($step, useGrouping: 0) } 步：会发生什么？
predict-line = 接下来运行第 { NUMBER($line, useGrouping: 0) } 行：
predict-node = 接下来在第 { NUMBER($line, useGrouping: 0) } 行的反向传播中运行一个 Node：
predict-operator = 接下来在第 { NUMBER($line, useGrouping: 0) } 行中运行 `{ $operator }`：
predict-show = 显示答案
predict-another = 换一个问题
answer = 回答
ask-node = 接下来运行哪个 Node？
ask-sends = `{ $node }` 会沿第 { $edge } 条边传出什么梯度？只答第一个元素。
ask-grad = `{ $name }` 会是什么？只答第一个元素。
ask-counter = 哪个版本计数器会增加？
ask-cell = 哪个单元的值会变？
ask-value = 单元 { $cell } 里会是什么？
ask-value-new = `{ $name }` 的第一个元素会是什么？
ask-version = `{ $names }` 的计数器会是第几版？
ask-grad-fn = 哪个 Node 会是 `{ $name }` 的 `grad_fn`？答它的名字。
ask-culprit = 反向传播需要的内容被覆盖了。是哪一行写的？
ask-raises = 会报错吗？
ask-raising-line = 这个程序会在哪一行因错误而结束？
answer-text = `{ $text }`
answer-line = 第 { NUMBER($line, useGrouping: 0) } 行
answer-counter = `{ $names }` 的计数器
answer-yes = 会
answer-no = 不会
answer-none-sends = 没有梯度
answer-none-grad = 没有梯度 (None)
answer-none-counter = 都不会
answer-none-cell = 都不会
answer-none-grad-fn = None
answer-none-culprit = 没有这样的行
answer-none-raising-line = 没有这样的行
answer-hint-number = 按 torch 打印的样子写一个数，或 nan、inf、-inf、True、False。
answer-hint-version = 一个整数。
answer-hint-cell = 点击单元，或按 S1[0] 的样子输入。
answer-hint-counter = 点击带有这个计数器的张量，或从列表里选。
answer-hint-node = 点击 Node，或从列表里选。
answer-hint-name = 按 torch 打印的名字写，例如 AddBackward0。
answer-hint-line = 点击代码行，或从列表里选。
answer-hint-whether = 回答后可以看到结果。
answer-right = 对：{ $truth }。
answer-wrong = 不对。你的回答是 { $given }；torch 给出的是 { $truth }。

## 图例

legend = 图例
legend-leaf = 叶子
legend-result = 有 grad_fn
legend-plain = 不需要梯度
legend-pocket = 保存的张量
legend-stale = 已过期
legend-version = 版本
legend-written = 刚写入
legend-edge = 计算图的边
legend-window = 所用元素
legend-link = 保存在
legend-flow = 梯度
legend-ghost = 已释放
legend-unread = 没有张量读取
legend-warning = 警告、提示
legend-wrong = 错误值 ≠ 正确值
legend-unreached = 得不到梯度
legend-clash = 不匹配
legend-view = 视图
legend-counter = 同一计数器

## 时间线

timeline = 运行的各步
forward = 前向
backward = 反向
update = 更新
backward-in = 反向（第 { NUMBER($line, useGrouping: 0) } 行内部）
walk = 步进单位
walk-line = 行
walk-line-means = 一步是一条语句（g 切换）
walk-node = 节点
walk-node-means = 一步是一条语句，反向传播时是一个节点（g 切换）
walk-operator = 算子
walk-operator-means = 一步是一个算子，反向传播时也一样（g 切换）
first = 第一步
previous = 上一步
play = 播放
pause = 暂停
next = 下一步
last = 最后一步
step = 第 { NUMBER($step, useGrouping: 0) } 步
step-of = / { NUMBER($count, useGrouping: 0) }
line = 第 { NUMBER($line, useGrouping: 0) } 行
line-elsewhere = { $file }:{ $line }
steps = 第 { NUMBER($from, useGrouping: 0) }–{ NUMBER($step, useGrouping: 0) } 步
constructed =
    { $modules ->
        [1] 构造了模块 `{ $name }`
       *[other] 构造了 { NUMBER($modules, useGrouping: 0) } 个模块（{ $classes ->
            [1] 都是 `{ $name }`
           *[other] 第一个是 `{ $name }`
        }）
    }，{ $parameters ->
        [0] 没有参数
       *[other] 有 { NUMBER($parameters) } 个参数（共 { NUMBER($elements) } 个元素）
    }{ $buffers ->
        [0] {""}
       *[other] 和 { NUMBER($buffers) } 个缓冲区
    }{ $others ->
        [0] {""}
       *[other] ，另有 { NUMBER($others) } 个张量
    }。
construction-open = 展开{ construction-steps }
construction-close = 收起{ construction-steps }
construction-steps = 构造过程的 { NUMBER($count, useGrouping: 0) } 步
spoken-step = 第 { NUMBER($step, useGrouping: 0) } 步，第 { NUMBER($line, useGrouping: 0) } 行。

speed = 播放速度：{ $speed }
speed-means = 播放速度：一半、一倍、两倍、四倍
round = 第 { NUMBER($round, useGrouping: 0) } / { NUMBER($count, useGrouping: 0) } 轮
round-of = 第 { NUMBER($line, useGrouping: 0) } 行的循环：第 { $round } / { NUMBER($count, useGrouping: 0) } 轮
round-keys = i：下一轮的同一处；Shift+i：上一轮
timeline-zoom = 显示运行的多少
timeline-nearer = 看更短的一段（+）
timeline-wider = 看更长的一段（-）
timeline-whole = 全部
timeline-whole-means = 整个运行（0）
living = { NUMBER($count, useGrouping: 0) } 个存储共 { $bytes }
living-short = 内存 { $bytes }
living-largest = 最大的存储
living-largest-means = 跟踪最大的存储；再按一次跟踪下一个
living-most = 峰值 { $bytes }，第 { NUMBER($step, useGrouping: 0) } 步
living-text = 内存中有 { NUMBER($count, useGrouping: 0) } 个存储，共 { $bytes }。峰值 { $most }，在第 { NUMBER($step, useGrouping: 0) } 步。
warnings = 警告与提示
warning-previous = 上一个警告或提示（Shift+w）
warning-next = 下一个警告或提示（w）

## 访问者跟踪的东西

changes = { $name } 的变化
pointers = 地址
pointer-tensor =
    `data_ptr()` 是 { $address }（`{ $hex }`），{ $byte ->
        [0] 即 `{ $storage }` 的第一个字节
       *[other] 在 `{ $storage }` 的第一个字节之后 { NUMBER($byte, useGrouping: 0) } 字节
    }。
pointer-object = `id()` 是 { $address }（`{ $hex }`）。
storage-unread = `{ $storage }` 末尾的 { NUMBER($count, useGrouping: 0) } 字节，没有已记录的张量读取。
pointer-storage = `{ $storage }` 从 { $address }（`{ $hex }`）开始，有 { NUMBER($bytes, useGrouping: 0) } 字节。
change-previous = 上一次变化（[）
change-next = 下一次变化（]）
change-leave = 停止跟踪
wish-pin = 置顶或取消置顶（k）
wish-hide = 隐藏（h）
wish-back = 重新显示
wish-unpin = 取消置顶
wishes = 已隐藏与已置顶
wishes-hidden = 已隐藏
wishes-pinned = 已置顶
memory-all-hidden = 都隐藏了；用上方的按钮重新显示。
change-none = 这一步没有变化
change-spoken = { $name }：{ $what }；到此 { NUMBER($place, useGrouping: 0) } / { NUMBER($count, useGrouping: 0) } 次变化
change-made = 创建
change-bound = 命名
change-unbound = 名字移除
change-written = 写入
change-version = 版本改变
change-geometry = 形状改变
change-grad = 梯度
change-grad_fn = 换了 grad_fn
change-requires_grad = requires_grad
change-resized = 大小改变
change-moved = 移动
change-freed = 释放
change-gone = 销毁

## 关于一次运行

edited = 代码在这次运行后改过
about = 关于这次运行
about-none = 还没有运行。代码在这里这样运行：
about-torch = torch
about-python = Python
about-stepgrad = Stepgrad
about-packages = 软件包
about-format = 记录格式
about-device = 设备
about-seed = 随机种子
limits = 限制
limits-means = 一次运行最多可以用多少。达到任何一项上限，运行就会结束；此前的每一步都会显示。
limit-wall_seconds = 时间
limit-cpu_seconds = 处理器时间
limit-statements = 语句
limit-steps = 各种步的总数
limit-memory_bytes = 内存
limit-output_bytes = 输出
limit-source_bytes = 源代码
limit-tmp_bytes = /tmp 中的文件
limit-trace_bytes = 记录
limit-threads = 线程
limit-cells = 完整记录数值，最多
seconds = { $count } 秒
used-of = { $used } / { $limit }
elements = { $count } 个元素

## 输出

output = 输出
output-nothing = 到这一步为止没有输出。
output-first = 首次输出：第 { NUMBER($step, useGrouping: 0) } 步
output-earlier = 全部 { $count } 个字符
output-none = 这次运行没有输出。print() 写出的内容会显示在这里。
lower = 图下方
lower-larger = 给这个窗格更多空间
variables = 调用与变量
variables-none = 还没有变量。
frames-omitted = ……其间还有 { $count } 层调用
variables-more = 还有 { NUMBER($count, useGrouping: 0) } 个张量
variables-changed = 这一步有 { NUMBER($count, useGrouping: 0) } 个改变
variable-was = 原为 { $value }
variable-new = 新
variable-changed = 已变
variable-follow = 在内存图中跟踪 { $name }
variable-items = { $type }，{ NUMBER($count, useGrouping: 0) } 项
variable-object = { $type } 对象
variable-tensor = 形状为 { $shape } 的张量
variable-unbound = 已不存在
frame-module = 模块
frame-call = 第 { NUMBER($call, useGrouping: 0) } / { NUMBER($calls, useGrouping: 0) } 次调用
frame-innermost = （正在运行）
text-cut = [还有 { $count } 个字符]

## 一步在哪些模式下运行：一个标签，和它的意思

mode-grad-off = 梯度模式关闭
mode-grad-off-means = 这里梯度模式是关闭的：autograd 什么也不记录。
mode-inference = 推理
mode-inference-means = 推理模式开着：autograd 什么也不记录，在这里创建的、使用新内存的张量没有版本计数器。
mode-autocast = autocast { $dtype }
mode-autocast-means = 自动混合精度（autocast）开着：它涵盖的算子用 `{ $dtype }` 计算。
mode-anomaly = 异常检测
mode-anomaly-means = 异常检测开着：每个节点都会记录自己是在哪里创建的。
mode-hooks = 不查版本
mode-hooks-means = 已启用 saved tensor 钩子：torch 在这里不检查版本。
mode-no-hooks = 禁用钩子
mode-no-hooks-means = 这里禁用了 saved tensor 钩子：注册钩子会报错。
mode-threads = 另有线程
mode-threads-means = 这一步期间有另一个线程在运行；它做了什么没有显示。

## 两段代码并排：A 与 B

compare = 与另一段代码并排比较
compare-word = 比较
compare-with-edited = 修改后的代码，与当前显示的运行比较
compare-with-before = 上一次运行，与这一次比较
compare-with-lesson = 一节课程
compare-choose = 请选择……
compare-hint = 想比较自己的改动，请先编辑代码再回到这里，或先运行一次。
compare-with-fix = 并排比较：{ $fix }
compare-run-before = 上一次运行
compare-run-shown = 修改前
compare-edited = 修改后
compare-title = 并排：A，{ $left }；B，{ $right }
compare-back = 返回
compare-heading = 两段代码并排比较
compare-leave = 退出比较 (F2)
compare-edit-side = 编辑 { $letter }
compare-code = { $letter } 的代码
compare-story = 刚刚发生了什么
compare-untold = 这次运行如何结束，在最后一步显示。
compare-not-begun = 这次运行还没有开始。
compare-waits = 这一步中，这次运行停在第 { NUMBER($line, useGrouping: 0) } 行。
compare-over = 这次运行已经结束。
badge-waits = 停在这里
badge-over = 在此结束
verdict-finished = 运行完毕
verdict-raised =
    { $line ->
        [0] { $type }
       *[other] 第 { NUMBER($line, useGrouping: 0) } 行 { $type }
    }
## 帮助

help-graph = 计算图显示 autograd 记录了什么：输入在上，损失在下，箭头沿着 `next_functions`。节点里的口袋是保存的张量，标着存储和版本；梯形的桶是 `AccumulateGrad`。一叠纸是折叠起来的一组节点：循环的一轮、函数的一次调用或一个模块；点它的 `+` 展开。
help-memory = 内存图显示变量名、它们指向的张量，以及张量使用的存储。一个存储外有两道框，表示两个张量共用它的字节；每个张量都标着自己的版本计数器。
help-steps = 一步走到下一行、反向传播的下一个节点，或下一个算子，由你选择。位置在各步之间从不改变。在触摸屏上，没有可左右滚动的内容时，左右滑动就走一步。
keys = 按键
glossary = 词汇表
glossary-all = 所有词条
key-next = 下一步
key-previous = 上一步
key-line = 下一行、上一行（不论步进单位）
key-walk = 步进单位：行、节点或算子
key-ends = 第一步、最后一步
key-ten = 后退十步、前进十步
key-play = 播放或暂停
key-warning = 下一个、上一个警告或提示
key-change = 所跟踪的项的下一次、上一次变化
key-choose = 计算图：沿边移动，或向旁边移动；内存图：跟踪变量名、张量、存储或元素，或移到一组
key-saving = 内存图：跳到保存所跟踪的项的节点
key-round = 循环：下一轮、上一轮的同一处
key-zoom = 计算图：放大、缩小、适应窗格；时间线：更短的一段、更长的一段、整个运行
key-search = 在计算图中查找节点
key-fold = 计算图：查看节点详情或展开一组；折叠它所在的组
key-fold-storages = 内存图：显示一组存储，或将其折叠
key-maximise = 只显示一个窗格，或显示全部窗格
key-presenting = 演讲模式：大字；翻页笔的 PageUp、PageDown 走一步
key-blank = 演讲模式：黑屏；按任意键或点击恢复页面
key-dot = 演讲模式：跟随鼠标的圆点
key-note = 这一步的备注，保存在这个浏览器里
key-here = 代码：这一行的下一步、上一步
key-break = 代码：在这一行设置或移除断点
key-to-break = 运行到下一个断点、退回上一个断点
key-edit = 编辑代码；在编辑器里则回到上一次的记录
key-choose-line = 代码：选择一行，并查看其中名字的值
key-edit-here = 代码：编辑这一行
key-run = 运行代码，或停止运行
key-pane = 下一个、上一个窗格
key-legend = 图例
key-help = 这份帮助
key-leave = 关闭提示，或停止运行；离开编辑器或演讲模式

## 导出对话框

export = 导出
export-picture = 图
export-both = 计算图和内存
export-graph = 计算图
export-memory = 内存
export-this = 第 { NUMBER($step, useGrouping: 0) } 步
export-as-seen = 与窗格现在显示的一样，白底浅色，字体包含在文件中。
export-paper = 第 { NUMBER($step, useGrouping: 0) } 步的论文插图
export-paper-hint = 由 Graphviz 按本页的位置绘制。文字可以选中，DOT 源文件可以编辑。
export-paper-as = 论文插图：{ $format }
export-steps = 多个步骤
export-from = 从
export-to = 到
export-slides = 打印幻灯片
export-slide = 第 { NUMBER($step, useGrouping: 0) } 步
export-drawing = 正在绘制第 { NUMBER($step, useGrouping: 0) } 步，共到第 { NUMBER($last, useGrouping: 0) } 步……
export-saved = 已保存为 { $name }。
export-printed = 已打开浏览器的打印对话框：每步一页。
export-nothing = 这一步的窗格里没有内容。
export-failed = 无法生成文件。请关闭其他标签页，或少选几步，再试一次。
export-too-many = 一个文件最多包含 { NUMBER($most, useGrouping: 0) } 步：请少选几步。
export-no-range = 请选择第 1 步到第 { NUMBER($count, useGrouping: 0) } 步之间的步骤，起始步在前。
