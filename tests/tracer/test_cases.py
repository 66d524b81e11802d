"""What each situation has to make obvious can be read from its trace: the ending, and every fact, at the line where it holds.

The numbers are those of the files in `snippets/`: situations that users of PyTorch ran into, in their smallest form.
"""

from app.trace.query import first_nonfinite_gradient
from app.trace.records import Cells
from tests.trace.state import nonfinite_since
from tests.tracer.conftest import Record

INPLACE = "one of the variables needed for gradient computation has been modified by an inplace operation: "
SECOND = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed)"
)
NOGRAD = "element 0 of tensors does not require grad and does not have a grad_fn"
LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW_OF_LEAF = "a view of a leaf Variable that requires grad is being used in an in-place operation."
NON_LEAF_GRAD = "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."


def inplace(shape: str, output_of: str, at: int, expected: int) -> str:
    """How torch says that a saved output was written."""
    where = f"[torch.FloatTensor {shape}], which is output 0 of {output_of}"
    return f"{INPLACE}{where}, is at version {at}; expected version {expected} instead."


# --- in-place and saved tensors -----------------------------------------------------------------------------------------


def test_s01_the_output_of_pow_is_written(snippet: Record) -> None:
    run = snippet("s01")
    written = run.after("y.add_(1)")
    assert run.finished and run.end.values("x.grad") == [6.0]
    assert (written.version("y"), written.grad_fn("y")) == (1, "AddBackward0")
    saved = written.saved("PowBackward0", "self")
    assert (saved.tensor, saved.version, saved.state, written.version("x")) == ("x", 0, "current", 0)


def test_s02_the_output_of_exp_is_written(snippet: Record) -> None:
    run = snippet("s02")
    assert run.raised("RuntimeError", "y.sum().backward()", inplace("[2]", "Exp", 1, 0))
    before, written = run.after("y = x.exp()"), run.after("y.add_(1)")
    assert before.saved("ExpBackward0", "result").state == "current"
    saved = written.saved("ExpBackward0", "result")
    assert (saved.state, saved.outdated, saved.version, written.version("y")) == ("outdated", "y.add_(1)", 0, 1)
    assert saved.storage == written.storage("y")


def test_s02b_a_scaled_tensor_is_written(snippet: Record) -> None:
    run = snippet("s02b")
    assert run.finished and run.end.values("x.grad") == [2.0] * 3
    assert run.after("h += 1").version("h") == 1
    assert {save.state for save in run.after("h += 1").saves("MulBackward0")} == {"current"}


def test_s04_the_output_of_sigmoid_is_scaled_in_place(snippet: Record) -> None:
    run = snippet("s04")
    assert run.raised("RuntimeError", "s.sum().backward()", inplace("[2]", "Sigmoid", 1, 0))
    assert run.after("s *= 2").saved("SigmoidBackward0", "result").outdated == "s *= 2"


def test_s06_a_residual_is_added_in_place_to_the_output_of_relu(snippet: Record) -> None:
    run = snippet("s06")
    assert run.raised("RuntimeError", "h.sum().backward()", inplace("[2, 3]", "Relu", 1, 0))
    saved = run.after("h += x").saved("ReluBackward0", "result")
    assert (saved.tensor, saved.outdated) == ("h", "h += x")


def test_s06b_the_same_before_relu_works(snippet: Record) -> None:
    run = snippet("s06b")
    assert run.finished and run.end.has_grad("lin.weight")
    assert run.after("h += x").version("h") == 1
    assert {save.state for save in run.after("h += x").saves("AddmmBackward0")} == {"current"}


def test_s08_a_mask_writes_what_a_product_saved(snippet: Record) -> None:
    run = snippet("s08")
    assert run.raised("RuntimeError", "y.sum().backward()", inplace("[2]", "IndexPut", 1, 0))
    written = run.after("h[h < 0] = 0")
    assert (written.version("h"), written.grad_fn("h"), written.values("h")) == (1, "IndexPutBackward0", [1.0, 0.0])
    for slot in ("self", "other"):
        saved = written.saved("MulBackward0", slot)
        assert (saved.tensor, saved.version, saved.outdated) == ("h", 0, "h[h < 0] = 0")


def test_s09_a_buffer_is_filled_from_itself(snippet: Record) -> None:
    run = snippet("s09")
    assert run.raised("RuntimeError", "out[-1].backward()", inplace("[]", "AsStrided", 4, 3))
    turns = [run.after("out[i] = out[i - 1] * w", turn) for turn in range(3)]
    assert [after.version("out") for after in turns] == [2, 3, 4]
    for version, after in enumerate(turns, 1):
        saved = after.saved("MulBackward0", "self")  # of out[i - 1]: no cell of it was written, yet the counter is one
        assert (saved.storage, saved.version) == (after.storage("out"), version)
        assert (saved.outdated, saved.overwritten) == ("out[i] = out[i - 1] * w", None)
    assert len({after.storage("out") for after in turns}) == 1


def test_s09b_the_same_from_clones_works(snippet: Record) -> None:
    run = snippet("s09b")
    assert run.finished and run.end.values("w.grad") == [32.0]
    assert (run.end.grad_fn("out"), run.end.version("out")) == ("CopySlices", 4)
    filled = run.after("out[i] =")
    assert {save.state for save in filled.saves("MulBackward0")} == {"current"}
    assert filled.storage("out") not in {save.storage for save in filled.saves("MulBackward0")}


def test_s09c_the_same_with_a_list_and_stack_works(snippet: Record) -> None:
    run = snippet("s09c")
    assert run.finished and run.end.values("w.grad") == [32.0]
    assert {run.end.version(f"out[{i}]") for i in range(4)} == {0}
    assert len({run.end.storage(f"out[{i}]") for i in range(4)}) == 4


def test_s11_a_step_between_two_backwards(snippet: Record) -> None:
    run = snippet("s11")
    assert run.raised("RuntimeError", "g_loss.backward()", inplace("[2, 1]", "AsStrided", 2, 1))
    forward, stepped = run.after("p = D("), run.after("opt.step()")
    assert (forward.version("D[1].weight"), forward.saved("AddmmBackward0", "mat2").version) == (1, 1)
    saved = stepped.saved("AddmmBackward0", "mat2")  # the transposed weight
    assert (saved.storage, saved.outdated) == (stepped.storage("D[1].weight"), "opt.step()")
    assert stepped.version("w") == 2 and stepped.same_tensor("w", "D[1].weight")


def test_s11b_adamw_bumps_twice(snippet: Record) -> None:
    run = snippet("s11b")
    assert run.raised("RuntimeError", "g_loss.backward()", inplace("[2, 1]", "AsStrided", 3, 1))
    assert [run.after(line).version("w") for line in ("d_loss.backward", "opt.step()")] == [1, 3]
    assert run.after("opt.step()").saved("AddmmBackward0", "mat2").outdated == "opt.step()"


def test_s13_the_input_batch_is_written_after_the_forward(snippet: Record) -> None:
    run = snippet("s13")
    message = f"{INPLACE}[torch.FloatTensor [1, 2]] is at version 1; expected version 0 instead."
    assert run.raised("RuntimeError", "y.backward()", message)
    saved = run.after("x.mul_(0)").saved("AddmmBackward0", "mat1")
    assert (saved.tensor, saved.version, saved.outdated) == ("x", 0, "x.mul_(0)")
    assert run.after("x.mul_(0)").grad_fn("x") is None


def test_s14_a_manual_step_on_a_retained_graph(snippet: Record) -> None:
    run = snippet("s14")
    message = f"{INPLACE}[torch.FloatTensor []] is at version 1; expected version 0 instead."
    assert run.raised("RuntimeError", "loss.backward()", message)
    stepped = run.after("w -= 0.1 * w.grad")
    assert stepped.version("w") == 1
    for slot in ("self", "other"):
        saved = stepped.saved("MulBackward0", slot)
        assert (saved.tensor, saved.version, saved.outdated) == ("w", 0, "w -= 0.1 * w.grad")


# --- .data, detach, clone -----------------------------------------------------------------------------------------------


def test_s17_data_hides_the_write(snippet: Record) -> None:
    run = snippet("s17")
    assert run.finished and run.end.values("x.grad") == [400.0]
    before, after = run.after("y = h * h"), run.after("h.data.mul_(100)")
    assert (before.version("h"), before.values("h")) == (0, [2.0])
    assert (after.version("h"), after.values("h")) == (0, [200.0])
    for slot in ("self", "other"):
        saved = after.saved("MulBackward0", slot)
        assert (saved.tensor, saved.state) == ("h", "overwritten")
        assert (saved.overwritten, saved.outdated) == ("h.data.mul_(100)", None)
    (write,) = run.writes("h.data.mul_(100)")
    assert write.storage == after.storage("h") and write.version_counter != after.tensor("h").version_counter
    assert write.changed and write.version is None  # `h.data` was gone before its counter could be read


def test_s18_detach_tells_on_the_write(snippet: Record) -> None:
    run = snippet("s18")
    assert run.raised("RuntimeError", "y.sum().backward()", inplace("[1]", "Mul", 1, 0))
    after = run.after("h.detach().mul_(100)")
    (write,) = run.writes("h.detach().mul_(100)")
    assert write.tensor is not None and write.tensor != after.id("h")
    detached = after.state.tensor(write.tensor)
    assert detached.version_counter == after.tensor("h").version_counter
    assert (after.version("h"), detached.version, write.version) == (1, 1, 1)
    assert after.saved("MulBackward0", "self").outdated == "h.detach().mul_(100)"


def test_s19_detach_shares_memory_with_a_leaf(snippet: Record) -> None:
    run = snippet("s19")
    assert run.finished
    assert (run.end.values("x"), run.end.version("x"), run.end.is_leaf("x")) == ([99.0, 2.0], 1, True)
    assert run.end.same_storage("x", "d") and run.end.same_counter("x", "d") and run.end.base("d") is None


def test_s20_clone_keeps_the_graph(snippet: Record) -> None:
    run = snippet("s20")
    assert run.finished and run.end.values("x.grad") == [3.0]
    assert [run.end.values(name) for name in ("x", "c", "dc")] == [[1.0], [3.0], [1.0]]
    assert run.end.grad_fn("c") == "MulBackward0" and "CloneBackward0" in run.end.backward_nodes("c")
    assert not run.end.requires_grad("dc") and run.end.grad_fn("dc") is None
    assert len({run.end.storage(name) for name in ("x", "c", "dc")}) == 3


def test_s21_one_factor_is_detached(snippet: Record) -> None:
    run = snippet("s21")
    assert run.finished and run.end.values("y") == [9.0] and run.end.values("x.grad") == [3.0]
    assert run.end.node("y").edges[1] is None  # type: ignore[union-attr]


def test_s23_a_history_of_one_tensor(snippet: Record) -> None:
    run = snippet("s23")
    hist, ok = [f"hist[{i}]" for i in range(3)], [f"ok[{i}]" for i in range(3)]
    assert run.finished
    assert [run.end.values(name) for name in hist] == [[3.0]] * 3 and run.end.same_storage("w", *hist)
    assert [run.end.values(name) for name in ok] == [[1.0], [2.0], [3.0]]
    assert len({run.end.storage(name) for name in ok}) == 3
    assert [run.after("w += 1", turn).values("w") for turn in range(3)] == [[1.0], [2.0], [3.0]]


# --- leaves, rebinding, optimizers --------------------------------------------------------------------------------------


def test_s26_a_leaf_is_written(snippet: Record) -> None:
    run = snippet("s26")
    assert run.raised("RuntimeError", "w += 1", LEAF)
    assert (run.end.version("w"), run.end.values("w"), run.writes("w += 1")) == (0, [1.0] * 3, [])


def test_s27_an_item_of_a_leaf_is_written(snippet: Record) -> None:
    run = snippet("s27")
    assert run.raised("RuntimeError", "w[0] = 5.0", VIEW_OF_LEAF)
    assert (run.end.version("w"), run.end.values("w"), run.end.is_leaf("w")) == (0, [1.0] * 3, True)


def test_s27b_a_view_of_a_leaf_is_written(snippet: Record) -> None:
    run = snippet("s27b")
    assert run.raised("RuntimeError", "v.mul_(2)", VIEW_OF_LEAF)
    assert run.end.base("v") == run.end.id("w") and run.end.same_counter("v", "w")
    assert (run.end.version("w"), run.end.values("v"), run.end.is_leaf("w")) == (0, [1.0] * 4, True)


def test_s27c_a_slice_of_a_leaf_is_added_to(snippet: Record) -> None:
    run = snippet("s27c")
    assert run.raised("RuntimeError", "w[:] += 1", VIEW_OF_LEAF)
    assert (run.end.version("w"), run.end.values("w"), run.end.is_leaf("w")) == (0, [1.0] * 3, True)


def test_s28_the_leaf_is_lost_by_rebinding(snippet: Record) -> None:
    run = snippet("s28")
    assert run.raised("TypeError", "w = w - 0.1", "unsupported operand type(s) for *: 'float' and 'NoneType'")
    assert run.end.state.text() == "0 True tensor([2.])\n1 False None\n" and run.warned(NON_LEAF_GRAD)
    leaf, other = run.after("loss.backward()", 0), run.after("w = w - 0.1", 0)
    assert leaf.is_leaf("w") and leaf.values("w.grad") == [2.0]
    assert not other.is_leaf("w") and other.grad_fn("w") == "SubBackward0" and other.id("w") != leaf.id("w")
    assert not run.after("loss.backward()", 1).has_grad("w")


def test_s29_rebinding_in_no_grad(snippet: Record) -> None:
    run = snippet("s29")
    assert run.raised("RuntimeError", "(w * 2).sum().backward()", NOGRAD)
    before, after = run.after("(w * 2)", 0), run.after("w = w - 0.1 * w.grad")
    assert before.requires_grad("w") and not after.requires_grad("w") and after.is_leaf("w")
    assert before.id("w") != after.id("w") and before.storage("w") != after.storage("w")
    assert [step.grad_enabled for step in run.steps("w = w -")] == [False]


def test_s29b_in_place_in_no_grad_works(snippet: Record) -> None:
    run = snippet("s29b")
    before, after = run.after("(w * 2)", 0), run.after("w -= 0.1 * w.grad")
    assert run.finished and before.id("w") == after.id("w") and before.storage("w") == after.storage("w")
    assert (after.is_leaf("w"), after.requires_grad("w"), after.version("w")) == (True, True, 1)


def test_s30_an_optimizer_refuses_a_non_leaf(snippet: Record) -> None:
    run = snippet("s30")
    assert run.raised("ValueError", "torch.optim.SGD(", "can't optimize a non-leaf Tensor")
    assert not run.end.is_leaf("w") and run.end.grad_fn("w") == "MulBackward0"


def test_s31_a_tensor_does_not_fit_a_parameter(snippet: Record) -> None:
    run = snippet("s31")
    message = "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)"
    assert run.raised("TypeError", "m.weight = m.weight - 0.1", message)
    assert run.end.tensor("m.weight").tensor.type == "Parameter" and run.end.is_leaf("m.weight")


def test_s33_parameter_wraps_without_copying(snippet: Record) -> None:
    run = snippet("s33")
    assert run.finished and run.end.values("p") == [9.0, 1.0]
    assert run.end.same_storage("t", "p") and run.end.same_counter("t", "p") and run.end.base("p") is None
    assert (run.end.version("t"), run.end.version("p")) == (1, 1)


def test_s35_state_dict_is_no_copy(snippet: Record) -> None:
    run = snippet("s35")
    assert run.finished and run.end.values("best['weight']") == [7.0]
    assert run.end.same_storage("best['weight']", "m.weight") and not run.end.same_tensor("best['weight']", "m.weight")


def test_s35b_a_deep_copy_of_it_is(snippet: Record) -> None:
    run = snippet("s35b")
    assert run.finished and run.end.values("m.weight") == [7.0] != run.end.values("best['weight']")
    assert not run.end.same_storage("best['weight']", "m.weight")


def test_s37_a_non_leaf_keeps_no_gradient(snippet: Record) -> None:
    run = snippet("s37")
    assert run.finished and run.end.state.text() == "None None\n" and run.warned(NON_LEAF_GRAD)
    assert not run.end.is_leaf("h") and not run.end.has_grad("h") and run.end.values("x.grad") == [2.0] * 3


def test_s37b_every_indexing_makes_a_new_view(snippet: Record) -> None:
    run = snippet("s37b")
    assert run.finished and run.end.values("x.grad") == [2.0, 0.0, 0.0]
    assert not run.end.same_tensor("a", "b") and not run.end.has_grad("a")
    assert run.end.base("a") == run.end.base("b") == run.end.id("x") and run.end.grad_fn("a") == "SelectBackward0"


def test_s38_retain_grad_follows_the_tensor(snippet: Record) -> None:
    run = snippet("s38")
    assert run.finished and run.end.values("h.grad") == [1.0, 1.0] and run.end.values("x.grad") == [6.0, 6.0]
    assert run.end.same_tensor("g", "h.grad")


def test_s39_requires_grad_of_a_non_leaf(snippet: Record) -> None:
    run = snippet("s39")
    assert run.raised("RuntimeError", "y.requires_grad = False", "you can only change requires_grad flags of leaf variables.")
    assert run.end.requires_grad("y") and not run.end.is_leaf("y")


def test_s41_a_non_leaf_cannot_be_copied_deeply(snippet: Record) -> None:
    run = snippet("s41")
    message = "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
    assert run.raised("RuntimeError", "z = copy.deepcopy(x * 2)", message)
    assert not run.end.same_storage("x", "y") and run.end.is_leaf("y") and run.end.requires_grad("y")


# --- cut graphs ---------------------------------------------------------------------------------------------------------


def test_s42_nothing_requires_a_gradient(snippet: Record) -> None:
    run = snippet("s42")
    assert run.raised("RuntimeError", "(x * 2).sum().backward()", NOGRAD)
    assert not run.end.requires_grad("x") and not run.trace.nodes


def test_s43_a_comparison_cuts(snippet: Record) -> None:
    run = snippet("s43")
    assert run.raised("RuntimeError", "m.backward()", NOGRAD)
    cut = run.after("c = x > 0.5")
    assert (cut.requires_grad("x"), cut.requires_grad("c"), cut.grad_fn("c")) == (True, False, None)
    assert not run.after("m = ").requires_grad("m") and not run.trace.nodes


def test_s43b_argmax_cuts(snippet: Record) -> None:
    run = snippet("s43b")
    assert run.raised("RuntimeError", "f.backward()", NOGRAD)
    cut = run.after("a = x.argmax()")
    assert (cut.requires_grad("x"), cut.requires_grad("a"), cut.grad_fn("a")) == (True, False, None)
    assert not run.after("f = ").requires_grad("f")


def test_s45_tensor_of_tensors_cuts_and_stack_does_not(snippet: Record) -> None:
    run = snippet("s45")
    assert run.finished and run.warned("Converting a tensor with requires_grad=True to a scalar")
    assert not run.end.requires_grad("a") and run.end.grad_fn("a") is None
    assert run.end.backward_nodes("b")[0] == "StackBackward0" and "AccumulateGrad" in run.end.backward_nodes("b")
    assert run.end.values("x.grad") == [2.0, 3.0]


def test_s46_numpy_of_a_tracked_tensor(snippet: Record) -> None:
    run = snippet("s46")
    message = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    assert run.raised("RuntimeError", "x.numpy()", message) and run.end.requires_grad("x")


def test_s47_backward_on_a_vector(snippet: Record) -> None:
    run = snippet("s47")
    assert run.raised("RuntimeError", "y.backward()", "grad can be implicitly created only for scalar outputs")
    assert run.end.values("y") == [2.0, 2.0] and run.ran("y.backward()") == []


def test_s49_backward_through_a_detached_tensor(snippet: Record) -> None:
    run = snippet("s49")
    assert run.raised("RuntimeError", "w.backward()", NOGRAD)
    cut = run.after("z = y.detach()")
    assert (cut.grad_fn("y"), cut.grad_fn("z"), cut.requires_grad("z")) == ("PowBackward0", None, False)
    assert cut.same_storage("y", "z") and not run.end.requires_grad("w") and not run.end.has_grad("x")


# --- how long a graph lives ---------------------------------------------------------------------------------------------


def test_s51_two_losses_share_a_graph(snippet: Record) -> None:
    run = snippet("s51")
    assert run.raised("RuntimeError", "l2.backward()", SECOND)
    before, after = run.after("l1, l2 ="), run.after("l1.backward()")
    assert before.node("h").id in {edge.node for name in ("l1", "l2") for edge in before.node(name).edges}  # type: ignore[union-attr]
    for slot in ("self", "other"):
        assert [moment.saved("MulBackward0", slot).state for moment in (before, after)] == ["current", "released"]
    assert run.ran("l1.backward()") == ["SumBackward0", "MulBackward0", "AccumulateGrad"]
    assert run.ran("l2.backward()") == ["ProdBackward0", "MulBackward0"]


def test_s52_a_hidden_state_carries_the_last_graph(snippet: Record) -> None:
    run = snippet("s52")
    assert run.raised("RuntimeError", "loss.backward()", SECOND)
    assert run.after("loss = h.sum()", 0).backward_nodes("loss").count("TanhBackward0") == 1
    second = run.after("loss = h.sum()", 1)
    assert second.backward_nodes("loss").count("TanhBackward0") == 2
    assert [save.state for save in second.saves("TanhBackward0")] == ["released", "current"]
    assert run.after("loss = h.sum()", 0).node("h").id in second.state.nodes  # type: ignore[union-attr]


def test_s52b_detached_it_works(snippet: Record) -> None:
    run = snippet("s52b")
    assert run.finished and run.after("loss = h.sum()", 1).backward_nodes("loss").count("TanhBackward0") == 1


def test_s54_gradients_accumulate(snippet: Record) -> None:
    run = snippet("s54")
    first, second = run.after("l.backward(retain_graph=True)"), run.after("l.backward()")
    assert run.finished and first.saved("PowBackward0", "self").state == "current"
    assert (first.values("w.grad"), second.values("w.grad")) == ([4.0], [8.0])
    assert run.gradients("PowBackward0") == [[4.0], [4.0]] and first.id("w.grad") == second.id("w.grad")


def test_s54b_without_zero_grad_they_pile_up(snippet: Record) -> None:
    run = snippet("s54b")
    assert run.finished
    assert [run.after("(w * 2)", turn).values("w.grad") for turn in range(3)] == [[2.0], [4.0], [6.0]]


def test_s55_a_kept_gradient_is_updated_in_place(snippet: Record) -> None:
    run = snippet("s55")
    kept, again = run.after("g = x.grad"), run.after("(x * 3)", 0)
    assert run.finished and kept.same_tensor("g", "x.grad") and kept.values("g") == [2.0, 2.0]
    assert again.same_tensor("g", "x.grad") and again.values("g") == [5.0, 5.0] and again.version("g") == 1
    assert not run.after("x.grad = None").has_grad("x") and run.after("x.grad = None").values("g") == [5.0, 5.0]
    new = run.after("(x * 3)", 1)
    assert not new.same_tensor("g", "x.grad") and new.values("x.grad") == [3.0, 3.0] and new.values("g") == [5.0, 5.0]


def test_s55b_zero_grad_and_clipping_of_a_kept_gradient(snippet: Record) -> None:
    run = snippet("s55b")
    clipped, zeroed, none = run.after("torch.nn.utils.clip"), run.after("opt.zero_grad(set"), run.after("opt.zero_grad()")
    assert run.finished and clipped.version("g") == 1 and clipped.same_tensor("g", "x.grad")
    assert clipped.values("g") == [0.70710653, 0.70710653]
    assert zeroed.values("g") == [0.0, 0.0] and zeroed.same_tensor("g", "x.grad")
    assert not none.has_grad("x") and none.values("g") == [0.0, 0.0] and none.version("g") == zeroed.version("g")


def test_s55c_zero_zeroes_a_kept_gradient(snippet: Record) -> None:
    run = snippet("s55c")
    assert run.finished and run.end.values("g") == [0.0, 0.0] and run.end.same_tensor("g", "x.grad")


# --- views, copies, NumPy -----------------------------------------------------------------------------------------------


def test_s57_reshape_is_a_view_or_a_copy(snippet: Record) -> None:
    run = snippet("s57")
    message = "view size is not compatible with input tensor's size and stride (at least one dimension spans across two"
    assert run.raised("RuntimeError", "a.t().view(6)", message)
    written = run.after("a[0, 0] = 99")
    assert written.same_storage("a", "r1") and not written.same_storage("a", "r2")
    assert written.values("r1")[0] == 99.0 and written.values("r2")[0] == 0.0
    assert written.base("r1") == written.base("a") is not None and written.base("r2") is None


def test_s57b_what_reshape_did_shows_in_grad_fn(snippet: Record) -> None:
    run = snippet("s57b")
    assert run.finished
    assert (run.end.grad_fn("r1"), run.end.grad_fn("r2")) == ("ViewBackward0", "UnsafeViewBackward0")


def test_s58_to_returns_the_same_object(snippet: Record) -> None:
    run = snippet("s58")
    assert run.finished and run.end.state.text() == "True\n"
    assert run.after("y = x.to").same_tensor("x", "y") and run.after("y += 1").values("x") == [2.0, 2.0]


def test_s61_iterating_gives_one_of_many_views(snippet: Record) -> None:
    run = snippet("s61")
    assert run.raised("RuntimeError", "row.mul_(2)", "Output 0 of Unbind is a view and is being modified inplace.")
    assert run.end.base("row") == run.end.id("x") and run.end.grad_fn("row") == "UnbindBackward0"
    assert (run.end.version("x"), run.end.values("x")) == (0, [1.0] * 6)


def test_s61b_by_index_it_works(snippet: Record) -> None:
    run = snippet("s61b")
    assert run.finished and run.end.values("x") == [2.0] * 6 and run.end.version("x") == 2


def test_s61c_so_does_chunk(snippet: Record) -> None:
    run = snippet("s61c")
    assert run.raised("RuntimeError", "part.mul_(2)", "Output 0 of Split is a view and is being modified inplace.")
    assert run.end.base("part") == run.end.id("x") and run.end.grad_fn("part") == "SplitBackward0"


def test_s63_a_view_derives_its_history_anew(snippet: Record) -> None:
    run = snippet("s63")
    assert run.finished and run.end.values("x.grad") == [6.0, 6.0, 3.0, 3.0]
    made, base_written, view_written = run.after("v = b[:2]"), run.after("b.mul_(3)"), run.after("v.mul_(2)")
    assert (made.grad_fn("v"), made.base("v")) == ("SliceBackward0", made.id("b"))
    assert (base_written.values("v"), base_written.grad_fn("v")) == ([3.0, 3.0], "AsStridedBackward0")
    assert (view_written.grad_fn("b"), view_written.values("b")) == ("CopySlices", [6.0, 6.0, 3.0, 3.0])
    assert view_written.version("b") == view_written.version("v") == 2
    assert view_written.node("v").edges[0].node == view_written.node("b").id  # type: ignore[union-attr]


def test_s64_an_item_added_to_in_place_bumps_twice(snippet: Record) -> None:
    run = snippet("s64")
    assert run.finished and (run.after("x[0] += 1").version("x"), run.after("x[1] = 2").version("x")) == (2, 3)


def test_s65_a_view_cannot_be_detached_in_place(snippet: Record) -> None:
    run = snippet("s65")
    assert run.raised("RuntimeError", "v.detach_()", "Can't detach views in-place. Use detach() instead.")
    assert run.end.base("v") == run.end.id("b") and run.end.grad_fn("v") == "SliceBackward0"


def test_s66_autograd_cannot_see_numpy_write(snippet: Record) -> None:
    run = snippet("s66")
    assert run.finished and run.end.values("w.grad") == [10.0, 10.0]
    written = run.after("a *= 10")
    assert (written.values("t"), written.version("t"), written.values("y")) == ([10.0, 10.0], 0, [2.0])
    saved = written.saved("MulBackward0", "other")
    assert (saved.tensor, saved.state, saved.overwritten) == ("t", "overwritten", "a *= 10")
    (write,) = run.writes("a *= 10")
    assert (write.operator, write.tensor, write.version_counter) == (None, None, None)


def test_s66b_rebinding_the_array_writes_nothing(snippet: Record) -> None:
    run = snippet("s66b")
    assert run.finished and run.end.values("t") == [1.0, 1.0] and not run.trace.writes


def test_s66c_writing_the_tensor_changes_the_array(snippet: Record) -> None:
    run = snippet("s66c")
    assert run.finished and run.end.state.text() == "[2. 2.]\n"
    assert run.after("t += 1").values("t") == [2.0, 2.0] and run.after("t += 1").version("t") == 1


def test_s66d_two_tensors_of_one_array(snippet: Record) -> None:
    run = snippet("s66d")
    assert run.finished and run.end.values("u") == run.end.values("t") == [2.0, 2.0]
    assert run.end.same_memory("t", "u") and not run.end.same_storage("t", "u") and not run.end.same_counter("t", "u")
    assert (run.end.version("t"), run.end.version("u")) == (1, 0)


def test_s67_a_list_of_one_tensor(snippet: Record) -> None:
    run = snippet("s67")
    assert run.finished and run.end.same_tensor("h", "hist[0]", "hist[1]", "hist[2]")
    assert [run.end.values(f"hist[{i}]") for i in range(3)] == [[3.0, 3.0]] * 3
    assert run.end.state.names_of[run.end.id("h")] == ["h", "hist[0]", "hist[1]", "hist[2]"]


def test_s67b_a_list_of_sums(snippet: Record) -> None:
    run = snippet("s67b")
    assert run.finished and [run.end.values(f"hist[{i}]") for i in range(3)] == [[1.0] * 2, [2.0] * 2, [3.0] * 2]
    assert len({run.end.storage(f"hist[{i}]") for i in range(3)}) == 3 and run.end.same_tensor("h", "hist[2]")


def test_s70_a_tiny_view_keeps_a_big_storage(snippet: Record) -> None:
    run = snippet("s70")
    assert run.finished
    gone = run.after("del big")
    assert "big" not in gone.names and gone.tensor("s").geometry.shape == [3]  # type: ignore[union-attr]
    assert gone.nbytes("s") == 4_000_000 and gone.storage("s") in gone.state.storages
    assert run.end.nbytes("c") == 12 and not run.end.same_storage("c", "s")


# --- modes, dtypes, NaN -------------------------------------------------------------------------------------------------


def test_s72_an_inference_tensor_cannot_be_saved(snippet: Record) -> None:
    run = snippet("s72")
    assert run.raised("RuntimeError", "y = (w * t).sum()", "Inference tensors cannot be saved for backward.")
    assert run.end.version("t") is None and [step.inference for step in run.steps("t = ")] == [True]
    (operator,) = [step for step in run.trace.steps if step.kind == "exception"]
    assert run.line(operator.id) == "y = (w * t).sum()" and "y" not in run.end.names


def test_s72b_an_inference_tensor_cannot_be_written_outside(snippet: Record) -> None:
    run = snippet("s72b")
    message = "Inplace update to inference tensor outside InferenceMode is not allowed."
    assert run.raised("RuntimeError", "t.add_(1)", message)
    assert run.end.values("t") == [4.0, 4.0]  # torch writes first and refuses then
    assert [write.version_counter for write in run.writes("t.add_(1)")] == [None]


def test_s72c_an_inference_tensor_has_no_version(snippet: Record) -> None:
    run = snippet("s72c")
    assert run.raised("RuntimeError", "print(t._version)", "Inference tensors do not track version counter.")
    assert run.end.version("t") is None


def test_s74_a_dtype_is_not_promoted_in_place(snippet: Record) -> None:
    run = snippet("s74")
    assert run.raised("RuntimeError", "x += 0.5", "result type Float can't be cast to the desired output type Long")
    assert (run.end.values("x"), run.end.version("x")) == ([1, 1, 1], 0)


def test_s75_nan_is_born_in_the_branch_not_taken(snippet: Record) -> None:
    run = snippet("s75")
    assert run.finished and run.end.values("y") == [0.0, 2.0] and run.end.values("x.grad") == ["nan", 0.25]
    born = first_nonfinite_gradient(run.trace)
    assert born is not None and isinstance(born.value, Cells)
    assert run.origin(born) == "SqrtBackward0" and born.value.values == ["nan", 0.25]
    assert run.gradients("WhereBackward0") == [[0.0, 1.0]]
    grad = run.trace.storages[run.end.storage("x.grad")]
    assert run.line(born.step) == "y.sum().backward()" and nonfinite_since(grad) is not None
    assert nonfinite_since(run.trace.storages[run.end.storage("y")]) is None
