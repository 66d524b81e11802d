"""Tests of the ways to begin and end a guard and of its modes, and that it restores torch and changes no result."""

import copy
import gc
import pickle
import threading
import weakref
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
import torch
from torch import Tensor, nn
from torch.autograd.forward_ad import dual_level, make_dual, unpack_dual
from torch.fx.experimental.proxy_tensor import make_fx
from torch.optim.optimizer import _global_optimizer_post_hooks
from torch.utils.checkpoint import checkpoint

from app.lessons import lessons
from app.public import stepgrad
from app.public.stepgrad.guarding import torch_hooks
from app.public.stepgrad.guarding.found import ADDRESS, LESSONS, STEP_LESSON
from tests.guarding.planted import Write, fill_storage, module, nothing, scale, small


def installed() -> tuple[object, ...]:
    """Return the hooks and functions that a guard installs in torch."""
    return (
        torch._C._autograd._top_saved_tensors_default_hooks(True),
        torch.autograd._engine_run_backward,  # type: ignore[attr-defined]
        torch._C._autograd._saved_tensors_hooks_disable,
        torch.utils.checkpoint._checkpoint_hook.__enter__,
        len(_global_optimizer_post_hooks),
    )


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = installed()
    yield
    assert installed() == before


def test_torch_is_restored_after_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), stepgrad.guard(), stepgrad.guard():
        assert installed()[0] is not None
        raise ZeroDivisionError


def test_a_function_and_a_generator_are_decorated() -> None:
    checked = stepgrad.guard()(small)
    assert len(checked(scale, "after")) == 1
    with pytest.raises(stepgrad.GuardError):
        checked(scale, "before")

    @stepgrad.guard()
    def rounds() -> Iterator[int]:
        """Run a correct step, then a step with a fault."""
        yield len(small(scale, "after"))
        yield len(small(scale, "before"))

    running = rounds()
    assert next(running) == 1 and installed()[0] is None, "the guard is off while the generator waits"
    with pytest.raises(stepgrad.GuardError):
        next(running)


def test_what_cannot_be_guarded_is_refused() -> None:
    async def coroutine() -> None:
        """Does nothing."""

    with pytest.raises(TypeError, match="inside"):
        stepgrad.guard()(coroutine)
    with pytest.raises(TypeError, match=r"write @stepgrad\.guard\(\)"):
        stepgrad.guard(small)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="mode is"):
        stepgrad.guard(mode="ignore")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="sample is"):
        stepgrad.guard(sample=0)
    with pytest.raises(RuntimeError, match=r"guard\.off\(\) without"):
        stepgrad.guard.off()


def test_on_and_off() -> None:
    guard = stepgrad.guard.on(mode="collect")
    small(scale, "before")
    stepgrad.guard.off()
    small(fill_storage, "before")
    assert [finding.kind for finding in guard.findings] == ["overwritten"]


def test_off_removes_the_guard_from_below_other_hooks() -> None:
    stepgrad.guard.on()
    with torch.autograd.graph.saved_tensors_hooks(lambda each: each, lambda each: each):
        inner = installed()[0]
        stepgrad.guard.off()
        assert installed()[0] == inner


def test_one_module() -> None:
    layer = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    guard = stepgrad.guard(layer)
    x = torch.ones(1, 2, requires_grad=True)
    (layer(x) * x.exp()).sum().backward()
    stepgrad.guard.off()
    layer(x).sum().backward()
    assert guard.saves == 3, "two of addmm, one of tanh, none of what is outside"
    assert not layer._forward_hooks and not layer._forward_pre_hooks


def test_one_module_that_raises() -> None:
    layer = nn.Linear(2, 2)
    with stepgrad.guard(layer), pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        layer(torch.ones(1, 3))


def test_modes() -> None:
    with stepgrad.guard(mode="collect") as guard:
        small(scale, "before")
        small(scale, "before")
    assert len(guard.findings) == 1, "the same finding is kept once"
    assert repr(guard) == f"<guard: {guard.saves} saved tensors, 1 findings>"
    with stepgrad.guard(mode="warn"), pytest.warns(UserWarning, match="version counter did not"):
        small(scale, "before")
    assert small(scale, "before")[0].equal(stepgrad.guard(mode="collect")(small)(scale, "before")[0])


def test_each_finding_has_the_address_of_a_lesson_and_both_languages() -> None:
    slugs = {lesson.slug for lesson in lessons()}
    assert {*LESSONS.values(), STEP_LESSON} <= slugs
    with pytest.raises(stepgrad.GuardError) as caught, stepgrad.guard():
        small(scale, "before")
    finding = caught.value.finding
    assert str(finding).endswith(f"\nLesson: {ADDRESS}data-hides-the-write")
    assert "版本计数器却没有变" in finding.text("zh-CN") and "tests/guarding/planted.py:" in finding.text("zh-CN")


def test_a_tenth_of_the_steps_is_checked() -> None:
    net, x = nn.Linear(2, 2), torch.ones(1, 2, requires_grad=True)
    optimizer = torch.optim.SGD(net.parameters(), 0.0)
    with stepgrad.guard(sample=0.1) as guard:
        for _ in range(500):
            net(x).sum().backward()
            optimizer.step()
    each = 2  # what addmm saves
    assert 10 * each < guard.saves < 120 * each


def test_random_numbers_of_the_program_are_untouched() -> None:
    torch.manual_seed(1)
    bare = torch.rand(3)
    torch.manual_seed(1)
    with stepgrad.guard(sample=0.5):
        assert torch.rand(3).equal(bare)


def test_a_guard_belongs_to_its_thread() -> None:
    found: list[str] = []

    def work() -> None:
        small(scale, "before")
        try:
            with stepgrad.guard():
                small(scale, "before")
        except stepgrad.GuardError as error:
            found.append(error.finding.kind)

    with stepgrad.guard() as guard:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert found == ["overwritten"] and guard.saves == 0


def test_a_decorated_function_runs_on_two_threads_at_once() -> None:
    both = threading.Barrier(2, timeout=60)
    found: list[str] = []

    @stepgrad.guard()
    def work(write: Write) -> None:
        both.wait()
        small(write, "before")

    def run(write: Write) -> None:
        try:
            work(write)
        except stepgrad.GuardError as error:
            found.append(error.finding.kind)

    threads = [threading.Thread(target=run, args=(write,)) for write in (scale, nothing)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["overwritten"] and not torch_hooks._Armed.count


def test_the_innermost_guard_finds() -> None:
    with stepgrad.guard(mode="collect") as outer, stepgrad.guard(mode="collect") as inner:
        small(scale, "before")
    assert (len(outer.findings), len(inner.findings)) == (0, 1)


def test_forwards_without_backward_leave_nothing_alive() -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Softmax(-1))
    outputs = []
    gc.collect()
    gc.disable()
    try:
        with stepgrad.guard() as guard:
            for _ in range(1000):
                outputs.append(weakref.ref(net(torch.ones(2, 4, requires_grad=True))))
        assert guard.saves >= 3000 and sum(output() is not None for output in outputs) == 0
    finally:
        gc.enable()


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_functorch_is_not_refused_and_the_rest_is_still_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_hooks, "_warned", set())
    with stepgrad.guard(mode="collect") as guard:
        with pytest.warns(UserWarning, match=r"torch\.func"):
            assert torch.func.grad(lambda x: (x * x).sum())(torch.ones(2)).tolist() == [2, 2]
        assert torch.func.hessian(lambda x: (x**3).sum())(torch.ones(2)).tolist() == [[6, 0], [0, 6]]
        rows = torch.func.vmap(torch.func.grad(lambda x: x.exp().sum()))(torch.zeros(3, 2))
        assert rows.tolist() == [[1, 1]] * 3
        small(scale, "before")
    assert len(guard.findings) == 1


@pytest.mark.filterwarnings("ignore:stepgrad.guard", "ignore:`torch.jit.script` is deprecated")
def test_forward_mode_is_undisturbed() -> None:
    """The zero tangents of forward-mode AD have no memory. Reading them would crash the process."""
    net = nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def tangents() -> list[Tensor]:
        x = torch.ones(1, 2, requires_grad=True)
        with dual_level():
            out = unpack_dual(net(make_dual(x, torch.ones(1, 2))))  # type: ignore[no-untyped-call]
            assert out.tangent is not None
            found = [out.tangent.detach(), *torch.autograd.grad(out.tangent.sum(), x)]
        return [*found, *torch.func.jvp(net, (x,), (x,))]

    bare = tangents()
    with stepgrad.guard() as guard:
        assert all(map(torch.equal, bare, tangents())) and guard.findings == []


@pytest.mark.filterwarnings("ignore:stepgrad.guard")
def test_other_hooks_around_a_guard_stay_in_use() -> None:
    with torch.autograd.graph.save_on_cpu(), stepgrad.guard() as guard:
        assert small(scale, "before") and guard.saves == 0


@pytest.mark.parametrize("is_leaf", [True, False])
def test_memory_that_is_replaced(is_leaf: bool) -> None:
    def gradient(factor: float) -> Tensor:
        x = torch.ones(2, requires_grad=True)
        taken = x if is_leaf else x * 1
        out = taken.square().exp()
        taken.data = taken.data * factor
        out.data = out.data * 3  # a Node uses the old memory of its output
        out.sum().backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        return x.grad

    right = gradient(1)
    assert not gradient(2).equal(right), "plain torch gives a wrong gradient without an error"
    with stepgrad.guard():
        assert gradient(1).equal(right)
        with pytest.raises(stepgrad.GuardError):
            gradient(2)
    with stepgrad.guard(mode="collect") as guard:
        assert gradient(2).equal(gradient(2)) and len(guard.findings) == 1


def test_double_backward_and_a_graph_that_is_kept() -> None:
    def gradients() -> list[Tensor]:
        x = torch.tensor([1.0, 2.0], requires_grad=True)
        out = (x.exp() * x).sum()
        (first,) = torch.autograd.grad(out, x, create_graph=True)
        first.square().sum().backward(retain_graph=True)  # type: ignore[no-untyped-call]
        first.sum().backward()  # type: ignore[no-untyped-call]
        assert x.grad is not None
        return [first.detach(), x.grad]

    bare = gradients()
    with stepgrad.guard():
        guarded = gradients()
    assert all(map(torch.equal, bare, guarded))


def test_a_write_after_a_backward_that_kept_its_graph() -> None:
    x = torch.ones(2, requires_grad=True)
    with stepgrad.guard(), pytest.raises(stepgrad.GuardError):
        out = (x * x).sum()
        out.backward(retain_graph=True)  # type: ignore[no-untyped-call]
        x.data.mul_(2)
        out.backward()  # type: ignore[no-untyped-call]


def test_a_compiled_function_whose_input_is_written() -> None:
    """pytorch/pytorch#197887: after a write to `x`, eager `x @ w` raises, but the compiled function returns a wrong gradient."""

    @torch.compile(backend="aot_eager")
    def product(x: Tensor, w: Tensor) -> Tensor:
        return x @ w

    w = torch.ones(2, 2, requires_grad=True)
    x = torch.ones(2, 2)
    with stepgrad.guard(), pytest.raises(stepgrad.GuardError):
        out = product(x, w)
        x.add_(1)
        out.sum().backward()  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_with_state_of_its_own(use_reentrant: bool) -> None:
    def gradient() -> Tensor:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.ReLU(inplace=True))
        x = torch.linspace(-1, 1, 12).view(4, 3).requires_grad_()
        checkpoint(net, x, use_reentrant=use_reentrant).sum().backward()
        assert x.grad is not None
        return x.grad

    bare = gradient()
    with stepgrad.guard() as guard:
        assert gradient().equal(bare) and guard.findings == []


def test_a_checkpoint_whose_bias_changed_or_whose_random_numbers_are_lost() -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Dropout(0.5))
    bias = net[0].bias
    assert isinstance(bias, Tensor)
    x = torch.ones(64, 3, requires_grad=True)
    with stepgrad.guard(mode="collect") as guard:
        out = checkpoint(net, x, use_reentrant=False)
        bias.data.add_(1)
        out.sum().backward()
        checkpoint(net, x, use_reentrant=False, preserve_rng_state=False).sum().backward()
    assert {finding.kind for finding in guard.findings} == {"recomputed"}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("is_bound", [True, False])
def test_a_reentrant_checkpoint_whose_parameter_changed(is_bound: bool, when: str) -> None:
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
    bias = net[0].bias
    assert isinstance(bias, Tensor)
    x = torch.ones(2, 3, requires_grad=True)
    with stepgrad.guard(mode="collect") as guard:
        out = checkpoint(net.forward if is_bound else lambda each: net(each) * 1, x, use_reentrant=True).sum()
        if when == "before":
            bias.data.add_(1)
        out.backward()
        if when == "after":
            bias.data.add_(1)
    assert [finding.kind for finding in guard.findings] == (["recomputed"] if when == "before" else [])


@pytest.mark.parametrize("is_frozen", [True, False])
def test_a_reentrant_checkpoint_that_can_reach_a_parameter_that_it_does_not_use(is_frozen: bool) -> None:
    """In a GAN of one module, an optimizer writes the discriminator between forward and backward of the generator."""
    nets = nn.ModuleDict({"used": nn.Linear(2, 2), "other": nn.Linear(2, 2).requires_grad_(not is_frozen)})
    x = torch.ones(1, 2, requires_grad=True)
    with stepgrad.guard() as guard:
        out = checkpoint(lambda each: nets["used"](each).tanh(), x, use_reentrant=True)
        with torch.no_grad():
            torch._foreach_add_(list(nets["other"].parameters()), 1)
        out.sum().backward()
    assert guard.findings == []


def test_a_reentrant_checkpoint_whose_frozen_weight_changed() -> None:
    net = nn.Linear(2, 2).requires_grad_(False)
    x = torch.ones(1, 2, requires_grad=True)
    with stepgrad.guard(mode="collect") as guard:
        out = checkpoint(lambda each: net(each).tanh(), x, use_reentrant=True)
        net.weight.data.add_(1)
        out.sum().backward()
    assert [finding.kind for finding in guard.findings] == ["recomputed"]


def test_a_guarded_module_can_be_copied_and_saved() -> None:
    layer = nn.Linear(2, 2)
    with stepgrad.guard(layer) as guard:
        copied, loaded = copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))
        loaded(torch.ones(1, 2)).sum().backward()
        assert guard.saves == 0
    copied(torch.ones(1, 2)).sum().backward()
    assert guard.saves == 0


def test_what_traces_and_batches_gradients_is_undisturbed() -> None:
    def gradient(x: Tensor) -> Tensor:
        return torch.autograd.grad(x.exp().sum(), x)[0]

    def rows() -> Tensor:
        x = torch.ones(3, requires_grad=True)
        return torch.autograd.grad(x**2, x, torch.eye(3), is_grads_batched=True)[0]

    bare = make_fx(gradient)(torch.ones(2, requires_grad=True)).graph, rows()
    with stepgrad.guard():
        traced = make_fx(gradient)(torch.ones(2, requires_grad=True)).graph
        assert rows().equal(bare[1])
    assert [node.target for node in traced.nodes if "detach" not in str(node.target)] == [
        node.target for node in bare[0].nodes if "detach" not in str(node.target)
    ]


def test_what_is_not_read_is_counted() -> None:
    class Wrapped(torch.Tensor):
        """A subclass that overrides `__torch_function__`."""

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            return super().__torch_function__(func, types, args, kwargs)  # type: ignore[no-untyped-call]

    with stepgrad.guard() as guard:
        sparse = torch.eye(3).to_sparse().requires_grad_()
        torch.sparse.mm(sparse, torch.ones(3, 3, requires_grad=True)).sum().backward()
        wrapped = torch.ones(2).as_subclass(Wrapped).requires_grad_()
        (wrapped * wrapped).sum().backward()  # type: ignore[no-untyped-call]
        meta = torch.ones(2, device="meta", requires_grad=True)
        (meta * meta).sum().backward()  # type: ignore[no-untyped-call]
    assert guard.unread == {"torch.sparse_coo": 1, "Wrapped": 2}
    assert "1 of torch.sparse_coo not read" in repr(guard)


def test_a_guarded_model_has_the_weights_of_a_bare_one() -> None:
    def weights(is_guarded: bool) -> list[Tensor]:
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.LayerNorm(4), nn.Linear(4, 2))
        optimizer = torch.optim.AdamW(net.parameters(), 0.1)
        for _ in range(5):
            with stepgrad.guard() if is_guarded else nullcontext():
                optimizer.zero_grad()
                net(torch.randn(3, 4)).square().mean().backward()
                optimizer.step()
        return [each.detach() for each in net.parameters()]

    assert all(map(torch.equal, weights(True), weights(False)))


def test_the_gradients_of_a_step_agree_with_plain_torch() -> None:
    assert all(map(torch.equal, module(scale, "after"), stepgrad.guard()(module)(scale, "after")))
