### 修正不相符的形状、大小和 dtype。`fix-<title>`。

fix-flatten_input = 把批次以外的维度展平：`.flatten(1)`
fix-flatten_and_count = 把批次以外的维度展平，并按展平后的特征数创建该层
fix-fit_layer = 按输入的大小创建该层
fix-channels_second = 把通道移到批次之后：`.permute(…)`
fix-norm_of_dimensions = 改用与输入维数匹配的批归一化
fix-add_dimension = 添加一个大小为 1 的维度：`.unsqueeze(…)`
fix-drop_dimension = 去掉大小为 1 的维度：`.squeeze(…)`
fix-transpose_factor = 转置其中一个，使两者可以相乘
fix-matmul_instead = 使用 `matmul`，它也接受成批的矩阵
fix-join_along = 沿形状不同的那个维度拼接
fix-resize_alike = 缩放到另一个张量的大小
fix-rows_of_batch = 让批次大小由 `-1` 推断
fix-fit_state = 按该层需要的大小创建状态
fix-more_rows = 让嵌入层为每个下标都有一行
fix-read_number = 读取这个数：`.item()`
fix-expand_gradient = 扩展为梯度的形状：`.expand_as(…)`
fix-whole_tensor = 去掉下标：这个张量只有一个数
