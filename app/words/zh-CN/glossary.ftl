### 词汇表。每个词条：名称、句子里通向它的词、意思，以及一行代码或空白。

term-accumulate-grad = AccumulateGrad
    .words = `AccumulateGrad`
    .means = 求导图末端代表一个叶子的结点。每个到达的梯度，都由它加到叶子的 `.grad` 上。
    .example = w.grad

term-alias = 别名
    .words = 别名, 另一个名字
    .means = 通向同一个东西的另一条路：同一个张量的第二个名字，或同一块内存上的第二个张量。从一边写入，另一边也看得到。
    .example = b = a

term-autocast = autocast
    .words = autocast, `autocast`
    .means = 一种模式：某些算子改用更小的 dtype（例如 bfloat16）计算，速度更快。
    .example = torch.autocast("cpu")

term-autograd = autograd
    .words = autograd
    .means = torch 中负责求导的部分：记录由需要梯度的张量算出了什么，并在反向传播时求出它们的梯度。
    .example = {""}

term-backward = 反向传播
    .words = 反向传播
    .means = 沿着求导图从结果走回叶子。每个结点收到一个梯度，再把别的梯度往下传，并放开它保存的东西，除非给了 `retain_graph=True`。
    .example = loss.backward()

term-base = 基张量
    .words = 基张量
    .means = 视图取自的那个张量。视图的视图，基张量仍是最初的那个。
    .example = x[0]._base is x

term-clone = clone
    .words = `.clone()`, `clone`
    .means = 一份副本，有自己的内存和版本计数器。autograd 会记录它，所以梯度能穿过。
    .example = y = x.clone()

term-data = .data
    .words = `.data`
    .means = 同一块内存上的另一个张量，但有自己的版本计数器。autograd 察觉不到经由它的写入，梯度可能悄悄出错。
    .example = x.data

term-detach = detach
    .words = `.detach()`, `detach`
    .means = 同一块内存上的另一个张量，没有求导历史，梯度不会穿过它。它共用版本计数器，所以 torch 会发现经由它的写入。
    .example = y = x.detach()

term-grad-fn = grad_fn
    .words = `grad_fn`
    .means = 知道某个张量是怎样算出来的那个结点。叶子没有 `grad_fn`。
    .example = y.grad_fn

term-grad-mode = 求导模式
    .words = 求导模式, `torch.no_grad()`, `no_grad`
    .means = autograd 此刻是否记录。在 `torch.no_grad()` 里是关闭的：结果不需要梯度，但写入仍会让版本计数器变动。
    .example = with torch.no_grad():

term-gradient = 梯度
    .words = 梯度, `.grad`, `grad`
    .means = 某个值稍微变一点时，结果会变多少。反向传播把叶子的梯度放在它的 `.grad` 里，并加到已有的值上。
    .example = w.grad

term-graph = 求导图
    .words = 求导图, 计算图
    .means = autograd 记录下来的结点，从每个结果连到算出它的那些东西。只有还有谁需要它时，它才存在。
    .example = y.grad_fn.next_functions

term-hook = 钩子
    .words = 钩子
    .means = 你写的函数，由 torch 在途中调用，例如每当梯度经过某个张量时。它的返回值可以代替那个梯度。
    .example = x.register_hook(print)

term-in-place = 原地
    .words = 原地
    .means = 写进已有的内存，而不是产生新张量。这样的算子名字以下划线结尾。
    .example = x.add_(1)

term-inference-mode = 推理模式
    .words = 推理模式
    .means = 比关闭求导模式更严格：在其中产生的张量没有版本计数器，永远不能参与反向传播。
    .example = with torch.inference_mode():

term-leaf = 叶子
    .words = 叶子张量, 叶子
    .means = 不是由 autograd 记录的运算得来的张量：是你自己创建的。如果它需要梯度，梯度就留在它的 `.grad` 里。
    .example = w = torch.ones(2, requires_grad=True)

term-multi-view = 多个视图之一
    .words = 多个视图
    .means = 有些算子一次给出好几个视图，共用一个结点。对其中之一原地写入会被拒绝，因为其他视图的历史也得跟着改。
    .example = a, b = x.unbind()

term-node = 结点
    .words = 结点
    .means = autograd 记录的一步：它知道怎样由结果的梯度，求出参与运算的那些张量的梯度。结果的 `grad_fn` 就是这个结点。
    .example = MulBackward0

term-numpy = NumPy 的视角
    .words = NumPy 数组, NumPy
    .means = `.numpy()` 给出的数组就是张量自己的内存。通过它写入，张量里也看得到，而版本计数器不会动。
    .example = a = t.numpy()

term-operator = 算子
    .words = 算子
    .means = torch 运行的最小单位，例如两个张量相乘一次。一行代码可能运行很多个算子。
    .example = aten::mul

term-optimizer = 优化器
    .words = 优化器
    .means = 它持有叶子本身，并按梯度原地写入它们，这会让它们的版本计数器变动。
    .example = opt.step()

term-parameter = Parameter
    .words = Parameter
    .means = 模块登记为自己所有的叶子，`model.parameters()` 能找到它。除非另外说明，它需要梯度。
    .example = nn.Parameter(t)

term-requires-grad = 需要梯度
    .words = 需要梯度, `requires_grad`, `requires_grad=True`
    .means = autograd 是否记录由这个张量算出的东西。只要有一个输入需要梯度，结果就需要梯度。
    .example = x.requires_grad_()

term-retain-graph = retain_graph
    .words = `retain_graph`, `retain_graph=True`
    .means = 让反向传播保留结点保存的东西，这样还能沿同一张图再做一次反向传播。
    .example = loss.backward(retain_graph=True)

term-saved-tensor = 保存的张量
    .words = 保存的张量
    .means = 结点从前向计算中留下、以后求梯度要用的东西。它不是副本：看的是同一块内存，并记住当时的版本。
    .example = {""}

term-scalar = 标量
    .words = 标量
    .means = 只有一个数、没有维度的张量。反向传播可以直接从它开始，不必另给梯度。
    .example = x.sum()

term-stale = 过期
    .words = 已过期, 过期
    .means = 保存之后内存又被写过的张量。如果版本计数器动了，反向传播会报错；如果没动，梯度就会悄悄出错。
    .example = {""}

term-stand-in = CPU 代替 GPU
    .words = CPU 代替, CPU 来代替
    .means = 没有 GPU 时，CPU 可以扮演它：张量会说出自己本该在哪里，数值则是 CPU 算出来的。
    .example = device="cuda"

term-storage = 存储
    .words = 存储
    .means = 张量所看的那片内存字节。好几个张量可以看着同一个存储。
    .example = x.untyped_storage()

term-stride = 步长
    .words = 步长, 连续存放
    .means = 到下一行、下一列等等，要在存储里走过多少个元素。连续的张量按顺序读它的存储。
    .example = x.t().stride()

term-version-counter = 版本计数器
    .words = 版本计数器
    .means = 数 torch 看到的写入次数。反向传播把它与保存时的版本比较，不同就报错。视图和 `.detach()` 共用它，`.data` 不共用。
    .example = x._version

term-view = 视图
    .words = 视图
    .means = 看着另一个张量（它的基张量）内存的张量，可以只看一部分，或换一种形状。没有复制任何东西。
    .example = v = x[:2]
