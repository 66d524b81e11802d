### 对已显示的运行提出的请求被拒绝：图片、文件和修改。

error-no_picture = { error-no_picture.message }：{ error-no_picture.hint }
    .message = 这个链接没有图片
    .hint = 请直接打开链接。
error-too_many_pictures = { error-too_many_pictures.message }：{ error-too_many_pictures.hint }
    .message = 等待绘制的链接图片太多
    .hint = 请 10 秒后再试。
error-picture_too_large = { error-picture_too_large.message }：{ error-picture_too_large.hint }
    .message = 这张图在允许的时间和内存内没有画完
    .hint = 请保存为 DOT，或画一次更小的运行。
error-no_pictures = { error-no_pictures.message }：{ error-no_pictures.hint }
    .message = 这台服务器画不了这种格式的图
    .hint = 请保存为 DOT，或请服务器的管理者安装 Graphviz 和字体。
error-too_large_for_file = { error-too_large_for_file.message }：{ error-too_large_for_file.hint }
    .message = 这份记录太大，无法下载为单个文件
    .hint = 请用 stepgrad trace FILE -o run.html 生成文件。
error-unknown_fix = 这个修改建议已不可用。请重新运行代码。
error-nothing_wrong = { error-nothing_wrong.message }：{ error-nothing_wrong.hint }
    .message = 这次运行没有“错误而不报错”的梯度
    .hint = 没有需要纠正的内容。
error-unknown_step = { error-unknown_step.message }：{ error-unknown_step.hint }
    .message = 服务器上的记录没有这一步
    .hint = 请重新运行代码。
