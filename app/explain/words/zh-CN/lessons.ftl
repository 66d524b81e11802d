### Headings of the course: `lesson-group-<group>`.

lesson-group-memory = 内存：字节归谁
lesson-group-views = 视图：一块 Storage，多个窗口
lesson-group-versions = 版本：autograd 看得见什么
lesson-group-leaves = 叶子：谁得到梯度
lesson-group-cut = 断开的图
lesson-group-lifetime = 图能活多久
lesson-group-numpy = NumPy
lesson-group-modules = 模块与优化器
lesson-group-modes = 模式与自定义 Function
