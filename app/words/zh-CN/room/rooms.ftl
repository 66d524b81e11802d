# 只有课堂房间才需要的词句。

room = 课堂房间
room-open = 打开课堂房间
room-open-hint = 全班在各自的设备上跟随这次运行：代码、步骤、分组、选中的内容和指针。不需要账号，也不需要姓名。
room-at = 房间 { $code }
room-about = 关于这个房间
room-members = { $count } 名学生
room-follow = 跟随
room-copy = 我的副本
room-copy-means = 继续编辑你改过的代码
room-back = 回到全班所见
room-card = 如何加入
room-projector = 投影
room-projector-means = 为投影仪打开第二个窗口：字号更大，并与本窗口保持同步
room-next = 下一步：第 { $line } 行
room-next-none = 这是最后一步。
room-lost = 我没跟上
room-lost-sent = 已告知
room-lost-here = 此步 { $count } 人没跟上

room-connecting = 正在连接房间。
room-following = 你正在跟随老师。
room-wandering = 你正在自己浏览。按 F 跟随老师。
room-alone-here = 你正在自己浏览。
room-unheard = 没有连接。正在重试。
room-unheard-alone = 没有连接。你正在自己浏览。
room-ended = 房间已结束。显示的内容仍保留在这里。
room-leading = 全班正在跟随此页面。
room-not-in-step = 全班看不到这里的内容。按 F 回到全班所见。
room-unseen = 全班看不到这里的内容，仍停在上一步。
room-alone = 无法连接服务器。此页面独自继续，全班稍后会跟上。
room-taken = 现在由另一台设备主持这个房间。

room-join = 在你自己的设备上跟随
room-picture = 房间 { $code } 的二维码
room-no-network = 学生无法打开此页面：它的地址只属于这台机器，而这台机器没有连接网络。
room-listen-nearby = 学生无法打开此页面：它的地址只属于这台机器。请启动服务器，使网络能够访问它，然后用下面的地址打开页面，并在那里打开房间：
room-open-nearby = 学生无法打开此页面：它的地址只属于这台机器。请用下面的地址打开页面，并在那里打开房间：

room-known = 老师能看到有多少学生在跟随，以及在哪些步骤有人按了“我没跟上”。没有姓名，没有账号，也没有关于任何一名学生的信息。
room-known-teacher = 房间在你结束它时结束，或在一天后结束。之后，成员、投票和“我没跟上”都会被删除。
room-teach-here = 用这台设备授课
room-once-code = 一次性代码
room-claim = 在此授课
room-device = 用第二台设备授课
room-device-means = 在另一台设备上打开房间 { $code }，点按页面底部的房间代码，然后在那里输入一次性代码。
room-device-code = 显示一次性代码
room-device-valid = 仅可使用一次，{ $count } 分钟内有效。
room-take-means = 房间的链接由这个浏览器创建，因此它可以接管房间：接管后，老师的其他设备都不再主持。
room-take = 接管房间
room-end = 结束房间
room-end-means = 学生的页面保持原样，不再跟随。
room-end-sure = 为所有人结束

key-follow = 房间：重新跟随老师；对老师而言，回到全班所见
key-lost = 房间：不具名地告诉老师你在这一步没跟上
key-card = 房间：全屏显示如何加入
