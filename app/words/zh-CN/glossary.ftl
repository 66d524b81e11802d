### 词汇表。每个词条：名称、句子里通向它的词、意思，以及一行代码或空白。

term-accumulate-grad = AccumulateGrad
    .words = `AccumulateGrad`
    .means = 计算图末端的节点，每个需要梯度的叶子张量对应一个。它把收到的梯度累加到叶子张量的 `.grad` 上。
    .example = w.grad

term-alias = 别名
    .words = 别名, 另一个名字
    .means = 同一个张量的另一个名字，或共用同一块内存的另一个张量。通过其中一个写入，另一个也会改变。
    .example = b = a

term-autocast = autocast
    .words = autocast, `autocast`
    .means = 一种模式：部分算子用精度较低的 dtype（例如 bfloat16）计算，速度更快。
    .example = torch.autocast("cpu")

term-autograd = autograd
    .words = autograd
    .means = PyTorch 的自动求导。它记录对需要梯度的张量的运算，并在反向传播时计算梯度。
    .example = {""}

term-backward = 反向传播
    .words = 反向传播
    .means = 沿着计算图从结果回到叶子张量，计算梯度。每个节点接收梯度，把梯度继续传下去，并释放它保存的张量，除非指定 `retain_graph=True`。
    .example = loss.backward()

term-base = 基张量
    .words = 基张量
    .means = 视图所用的内存属于它的基张量。视图的视图，基张量与原视图相同。
    .example = x[0]._base is x

term-clone = clone
    .words = `.clone()`, `clone`
    .means = 一份副本，有自己的内存和版本计数器。autograd 会记录它，所以梯度可以经过它传回去。
    .example = y = x.clone()

term-data = .data
    .words = `.data`
    .means = 共用同一块内存的张量，不需要梯度，有自己的版本计数器。autograd 发现不了通过它的写入，所以梯度可能错误而不报错。
    .example = x.data

term-detach = detach
    .words = `.detach()`, `detach`
    .means = 共用同一块内存的张量，已从计算图中分离，梯度不会经过它。它共用版本计数器，所以 autograd 能发现通过它的写入。
    .example = y = x.detach()

term-grad-fn = grad_fn
    .words = `grad_fn`
    .means = 计算图中算出这个张量的节点。叶子张量没有 `grad_fn`。
    .example = y.grad_fn

term-grad-mode = 梯度模式
    .words = 梯度模式, `torch.no_grad()`, `no_grad`
    .means = autograd 当前是否记录运算。在 `torch.no_grad()` 下它是关闭的：结果不需要梯度，但原地写入仍会增加版本计数器。
    .example = with torch.no_grad():

term-gradient = 梯度
    .words = 梯度, `.grad`, `grad`
    .means = 某个值稍微变化时，结果变化多少。反向传播把叶子张量的梯度累加到它的 `.grad` 上。
    .example = w.grad

term-graph = 计算图
    .words = 计算图
    .means = autograd 记录的节点，从每个结果连到它的输入。没有引用时，计算图就会被释放。
    .example = y.grad_fn.next_functions

term-hook = 钩子
    .words = 钩子
    .means = 你自己的函数，由 PyTorch 在特定时刻调用，例如每当得到某个张量的梯度时。它的返回值可以替换这个梯度。
    .example = x.register_hook(print)

term-in-place = 原地
    .words = 原地
    .means = 直接修改已有的张量，不创建新张量。这类方法的名字以下划线结尾。
    .example = x.add_(1)

term-inference-mode = 推理模式
    .words = 推理模式
    .means = 类似 `no_grad`，但更严格：在其中创建的张量没有版本计数器，不能为反向传播保存。
    .example = with torch.inference_mode():

term-leaf = 叶子张量
    .words = 叶子张量, 叶子
    .means = 不是由被记录的运算得到的张量，通常由你自己创建。如果它需要梯度，反向传播会把它的梯度存到它的 `.grad`。
    .example = w = torch.ones(2, requires_grad=True)

term-multi-view = 多个视图之一
    .words = 多个视图
    .means = 有些算子（如 `unbind`、`split`）一次返回多个视图，它们共用一个节点。PyTorch 不允许原地写入这样的视图。
    .example = a, b = x.unbind()

term-node = 节点
    .words = 节点
    .means = 计算图中记录的一次运算。反向传播时，它由结果的梯度计算出输入的梯度。结果的 `grad_fn` 就是它的节点。
    .example = MulBackward0

term-numpy = NumPy 数组
    .words = NumPy 数组, NumPy
    .means = `.numpy()` 返回的数组与张量共用内存。写入数组会改变张量，但不会改变版本计数器。
    .example = a = t.numpy()

term-operator = 算子
    .words = 算子
    .means = PyTorch 执行的最小运算，例如两个张量相乘。一行代码可能执行很多算子。
    .example = aten::mul

term-optimizer = 优化器
    .words = 优化器
    .means = 它持有叶子张量，并根据梯度原地更新它们。每次更新都会增加它们的版本计数器。
    .example = opt.step()

term-parameter = Parameter
    .words = Parameter
    .means = 注册在模块中的叶子张量，`model.parameters()` 会返回它。它默认需要梯度。
    .example = nn.Parameter(t)

term-requires-grad = 需要梯度
    .words = 需要梯度, `requires_grad`, `requires_grad=True`
    .means = autograd 是否记录对这个张量的运算。只要有一个输入需要梯度，结果就需要梯度。
    .example = x.requires_grad_()

term-retain-graph = retain_graph
    .words = `retain_graph`, `retain_graph=True`
    .means = 让反向传播不释放保存的张量，这样可以沿同一张计算图再做一次反向传播。
    .example = loss.backward(retain_graph=True)

term-saved-tensor = 保存的张量
    .words = 保存的张量
    .means = 节点在反向传播时计算梯度所需的张量。它不是副本：它使用同一块内存，autograd 还会记下当时的版本。
    .example = {""}

term-scalar = 标量
    .words = 标量
    .means = 只有一个元素、没有维度的张量。反向传播可以从它开始，不需要传入梯度。
    .example = x.sum()

term-stale = 过期
    .words = 已过期, 过期
    .means = 保存之后内存又被写入的张量。如果版本计数器变了，反向传播会报错；如果没变，梯度可能错误而不报错。
    .example = {""}

term-stand-in = CPU 代替 GPU
    .words = CPU 代替, CPU 来代替
    .means = 没有 GPU 时可以用 CPU 代替：张量显示它本应所在的设备，所有数值都在 CPU 上计算。
    .example = device="cuda"

term-storage = 存储
    .words = 存储
    .means = 存放张量元素的内存。多个张量可以共用一个存储。
    .example = x.untyped_storage()

term-stride = 步长
    .words = 步长, 连续存放, 连续张量
    .means = 每一维上，下标加一需要在存储中跳过多少个元素。连续张量的元素按顺序存放。
    .example = x.t().stride()

term-version-counter = 版本计数器
    .words = 版本计数器
    .means = 统计 PyTorch 发现的原地写入次数。如果保存的张量版本变了，反向传播会报错。视图和 `.detach()` 共用它，`.data` 不共用。
    .example = x._version

term-view = 视图
    .words = 视图
    .means = 使用另一个张量（它的基张量）内存的张量，可以只用其中一部分，或换一种形状。不复制数据。
    .example = v = x[:2]
