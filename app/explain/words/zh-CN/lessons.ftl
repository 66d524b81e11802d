### 课程目录的小标题：`lesson-group-<group>`。

lesson-group-sharing = 共享内存
lesson-group-gradients = 梯度流向哪里
lesson-group-saved-tensors = 反向传播需要什么
