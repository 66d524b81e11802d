### The glossary. For each term: its name, the words that link to it, its meaning, and optionally a line of code.

term-accumulate-grad = AccumulateGrad
    .words = `AccumulateGrad`
    .means = The Node at the end of the graph for each leaf that requires grad. It adds each gradient that it receives to the leaf's `.grad`.
    .example = w.grad

term-alias = Alias
    .words = alias, aliases, another name
    .means = A second name for the same tensor, or another tensor on the same memory. A write through one also changes the other.
    .example = b = a

term-autocast = Autocast
    .words = Autocast, autocast, `autocast`
    .means = A mode in which some operators compute in a lower-precision dtype, such as bfloat16, to run faster.
    .example = torch.autocast("cpu")

term-autograd = Autograd
    .words = Autograd, autograd
    .means = PyTorch's automatic differentiation. It records operations on tensors that require grad and computes their gradients in backward.
    .example = {""}

term-backward = Backward
    .words = backward, backwards
    .means = Computes gradients by going through the graph from a result back to the leaves. Each Node receives a gradient, passes gradients on, and frees its saved tensors, unless `retain_graph=True` is given.
    .example = loss.backward()

term-base = Base
    .words = base
    .means = The tensor whose memory a view uses. A view of a view has the same base as the first view.
    .example = x[0]._base is x

term-clone = clone
    .words = `.clone()`, `clone`
    .means = A copy with its own memory and version counter. Autograd records it, so gradients flow through it.
    .example = y = x.clone()

term-data = .data
    .words = `.data`
    .means = A tensor on the same memory that does not require grad and has its own version counter. Autograd does not detect writes through it, so gradients may be wrong without an error.
    .example = x.data

term-detach = detach
    .words = `.detach()`, `detach`
    .means = A tensor on the same memory that is detached from the graph: no gradient flows through it. It shares the version counter, so autograd detects writes through it.
    .example = y = x.detach()

term-grad-fn = grad_fn
    .words = `grad_fn`
    .means = The Node of the graph that computed a tensor. A leaf has none.
    .example = y.grad_fn

term-grad-mode = Grad mode
    .words = grad mode, Grad mode, `torch.no_grad()`, `no_grad`
    .means = Whether autograd records operations at the moment. Under `torch.no_grad()` it is off: results do not require grad, but in-place writes still increment version counters.
    .example = with torch.no_grad():

term-gradient = Gradient
    .words = gradient, gradients, `.grad`, `grad`
    .means = How much a result changes when a value changes slightly. Backward adds the gradient of a leaf to the leaf's `.grad`.
    .example = w.grad

term-graph = Graph
    .words = graph, graphs
    .means = The Nodes that autograd recorded, linked from each result to its inputs. It is freed when nothing refers to it.
    .example = y.grad_fn.next_functions

term-hook = Hook
    .words = hook, hooks
    .means = A function of yours that PyTorch calls at a certain point, for example with each gradient of a tensor. Its return value can replace the gradient.
    .example = x.register_hook(print)

term-in-place = In place
    .words = in place, in-place
    .means = An operation that changes an existing tensor instead of creating a new one. The names of such methods end in an underscore.
    .example = x.add_(1)

term-inference-mode = Inference mode
    .words = inference mode, Inference mode
    .means = Like `no_grad`, but stricter: tensors created in it have no version counter and cannot be saved for backward.
    .example = with torch.inference_mode():

term-leaf = Leaf
    .words = leaf
    .means = A tensor that is not the result of a recorded operation, usually one that you created. If it requires grad, backward stores its gradient in its `.grad`.
    .example = w = torch.ones(2, requires_grad=True)

term-multi-view = One of several views
    .words = one of several views
    .means = Some operators, such as `unbind` and `split`, return several views that share one Node. PyTorch does not allow in-place writes to such a view.
    .example = a, b = x.unbind()

term-node = Node
    .words = Node, Nodes
    .means = One recorded operation in the graph. In backward, it computes the gradients of its inputs from the gradient of its result. A result's `grad_fn` is its Node.
    .example = MulBackward0

term-numpy = NumPy array
    .words = NumPy array, NumPy
    .means = An array from `.numpy()` shares the tensor's memory. Writes to the array change the tensor, but no version counter.
    .example = a = t.numpy()

term-operator = Operator
    .words = operator, operators
    .means = The smallest operation that PyTorch runs, such as one multiplication of two tensors. One line may run many operators.
    .example = aten::mul

term-optimizer = Optimizer
    .words = optimizer, optimizers
    .means = An object that holds leaf tensors and updates them in place, using their gradients. Each update increments their version counters.
    .example = opt.step()

term-parameter = Parameter
    .words = Parameter, Parameters
    .means = A leaf tensor that is registered in a module, so `model.parameters()` returns it. It requires grad by default.
    .example = nn.Parameter(t)

term-requires-grad = Requires grad
    .words = requires grad, require grad, `requires_grad`, `requires_grad=True`
    .means = Whether autograd records operations on a tensor. A result requires grad if one of its inputs does.
    .example = x.requires_grad_()

term-retain-graph = retain_graph
    .words = `retain_graph`, `retain_graph=True`
    .means = Tells backward not to free the saved tensors, so that a second backward can go through the same graph.
    .example = loss.backward(retain_graph=True)

term-saved-tensor = Saved tensor
    .words = saved tensor, saved tensors
    .means = A tensor that a Node needs in backward to compute gradients. It is not a copy: it uses the same memory, and autograd also stores its version.
    .example = {""}

term-scalar = Scalar
    .words = scalar
    .means = A tensor with a single element and no dimensions. Backward can start from it without a gradient argument.
    .example = x.sum()

term-stale = Stale
    .words = stale
    .means = A saved tensor whose memory was written after it was saved. If its version counter changed, backward raises an error; if it did not, gradients may be wrong without an error.
    .example = {""}

term-stand-in = CPU instead of a GPU
    .words = instead of a GPU
    .means = If there is no GPU, the CPU can be used instead: tensors show the device they would be on, and all values are computed on the CPU.
    .example = device="cuda"

term-storage = Storage
    .words = storage, storages, Storage, Storages
    .means = The memory that holds a tensor's elements. Several tensors can share one storage.
    .example = x.untyped_storage()

term-stride = Stride
    .words = stride, strides, contiguous
    .means = For each dimension, how many elements to skip in the storage to get to the next index. The elements of a contiguous tensor lie in order.
    .example = x.t().stride()

term-version-counter = Version counter
    .words = version counter, version counters
    .means = Counts the in-place writes that PyTorch detects. Backward raises an error if a saved tensor's version has changed. Views and `.detach()` share the counter, `.data` does not.
    .example = x._version

term-view = View
    .words = view, views
    .means = A tensor that uses the memory of another tensor, its base, possibly only part of it or in another shape. No data is copied.
    .example = v = x[:2]
