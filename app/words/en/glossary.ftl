### The glossary. Of each term its name, the words in our sentences that lead to it, what it means, and a line of code or nothing.

term-accumulate-grad = AccumulateGrad
    .words = `AccumulateGrad`
    .means = The Node at the end of the graph that stands for a leaf. It adds each gradient that arrives to the leaf's `.grad`.
    .example = w.grad

term-alias = Alias
    .words = alias, aliases, another name
    .means = Another way to the same thing: a second name for one tensor, or a second tensor on the same memory. What is written through one shows through the other.
    .example = b = a

term-autocast = Autocast
    .words = Autocast, autocast, `autocast`
    .means = A mode in which some operators compute in a smaller dtype, such as bfloat16, to be faster.
    .example = torch.autocast("cpu")

term-autograd = Autograd
    .words = Autograd, autograd
    .means = The part of torch that records what is computed from tensors that require grad, and works out their gradients in backward.
    .example = {""}

term-backward = Backward
    .words = backward, backwards
    .means = The walk through the graph from a result back to the leaves. Each Node receives a gradient, sends others on, and lets go of what it saved, unless `retain_graph=True` is given.
    .example = loss.backward()

term-base = Base
    .words = base
    .means = The tensor that a view was taken of. A view of a view has the same base as the view it was taken of.
    .example = x[0]._base is x

term-clone = clone
    .words = `.clone()`, `clone`
    .means = A copy with memory and a version counter of its own. Autograd records it, so gradients pass through.
    .example = y = x.clone()

term-data = .data
    .words = `.data`
    .means = A tensor on the same memory with a version counter of its own. Writes through it are not noticed by autograd, so gradients may become wrong without an error.
    .example = x.data

term-detach = detach
    .words = `.detach()`, `detach`
    .means = A tensor on the same memory, without a history: no gradient passes through it. It shares the version counter, so torch notices writes through it.
    .example = y = x.detach()

term-grad-fn = grad_fn
    .words = `grad_fn`
    .means = The Node that knows how a tensor was computed. A leaf has none.
    .example = y.grad_fn

term-grad-mode = Grad mode
    .words = grad mode, Grad mode, `torch.no_grad()`, `no_grad`
    .means = Whether autograd records at this moment. Under `torch.no_grad()` it is off: results require no grad, yet writes still move version counters.
    .example = with torch.no_grad():

term-gradient = Gradient
    .words = gradient, gradients, `.grad`, `grad`
    .means = How much a result changes when a value changes a little. Backward keeps that of a leaf in its `.grad`, added to what is there already.
    .example = w.grad

term-graph = Graph
    .words = graph, graphs
    .means = The Nodes that autograd recorded, linked from each result to what it was computed of. It exists only while something needs it.
    .example = y.grad_fn.next_functions

term-hook = Hook
    .words = hook, hooks
    .means = A function of yours that torch calls on the way, for example with each gradient that passes a tensor. What it returns may take the gradient's place.
    .example = x.register_hook(print)

term-in-place = In place
    .words = in place, in-place
    .means = A write into memory that is there already, in contrast to making a new tensor. Such operators end in an underscore.
    .example = x.add_(1)

term-inference-mode = Inference mode
    .words = inference mode, Inference mode
    .means = A stricter grad mode that is off: tensors made in it have no version counter and can never take part in backward.
    .example = with torch.inference_mode():

term-leaf = Leaf
    .words = leaf
    .means = A tensor that was not computed by what autograd recorded: you made it. If it requires grad, its gradient stays in its `.grad`.
    .example = w = torch.ones(2, requires_grad=True)

term-multi-view = One view of many
    .words = one of several views
    .means = Some operators give several views at once, with a single Node for all. torch refuses in-place writes to such a view, because the others' history would have to change, too.
    .example = a, b = x.unbind()

term-node = Node
    .words = Node, Nodes
    .means = One step that autograd recorded: it knows how to turn the gradient of its result into those of what it was computed of. The result's `grad_fn` is this Node.
    .example = MulBackward0

term-numpy = NumPy's view
    .words = NumPy array, NumPy
    .means = An array from `.numpy()` is the tensor's own memory. Writes through it show in the tensor, and no version counter moves.
    .example = a = t.numpy()

term-operator = Operator
    .words = operator, operators
    .means = The smallest thing that torch runs, such as one multiplication of two tensors. One line may run many.
    .example = aten::mul

term-optimizer = Optimizer
    .words = optimizer, optimizers
    .means = It holds the leaves themselves and writes them in place by their gradients, which moves their version counters.
    .example = opt.step()

term-parameter = Parameter
    .words = Parameter, Parameters
    .means = A leaf that a module has registered as its own, so that `model.parameters()` finds it. It requires grad unless told otherwise.
    .example = nn.Parameter(t)

term-requires-grad = Requires grad
    .words = requires grad, require grad, `requires_grad`, `requires_grad=True`
    .means = Whether autograd records what is computed of a tensor. A result requires grad as soon as one of its inputs does.
    .example = x.requires_grad_()

term-retain-graph = retain_graph
    .words = `retain_graph`, `retain_graph=True`
    .means = Tells backward to keep what the Nodes saved, so that a second backward can go through the same graph.
    .example = loss.backward(retain_graph=True)

term-saved-tensor = Saved tensor
    .words = saved tensor, saved tensors
    .means = What a Node keeps of the forward to compute its gradient later. It is no copy: it looks at the same memory, and remembers the version.
    .example = {""}

term-scalar = Scalar
    .words = scalar
    .means = A tensor of one number, without dimensions. A backward may begin at it without being told a gradient.
    .example = x.sum()

term-stale = Stale
    .words = stale
    .means = A saved tensor whose memory was written since the save. If its version counter moved, backward raises; if not, the gradient is silently wrong.
    .example = {""}

term-stand-in = The CPU as a stand-in
    .words = stand in, stood in, standing in
    .means = Where there is no GPU, the CPU can play one: tensors say where they would be, and the numbers are the CPU's.
    .example = device="cuda"

term-storage = Storage
    .words = storage, storages, Storage, Storages
    .means = The bytes in memory that tensors look at. Several tensors may look at one storage.
    .example = x.untyped_storage()

term-stride = Stride
    .words = stride, strides, contiguous
    .means = How many elements to go on in the storage for the next row, column and so on. A contiguous tensor reads its storage in order.
    .example = x.t().stride()

term-version-counter = Version counter
    .words = version counter, version counters
    .means = Counts the writes that torch sees. Backward compares it with the version at the save, and raises when they differ. Views and `.detach()` share it, `.data` does not.
    .example = x._version

term-view = View
    .words = view, views
    .means = A tensor that looks at the memory of another one, its base, perhaps at a part of it or in another shape. Nothing is copied.
    .example = v = x[:2]
