"""The CPU in place of a missing GPU.

`device="cuda"` without a GPU raises torch's own error, and a finding offers the stand-in (`Request.stand_in`). Then every
tensor is a CPU tensor with a label. `Header.stand_in` and a pill on every step show that. Without it none of this is
installed.

Measured on torch 2.13, CPU build: with `torch.cuda._lazy_init` replaced, a factory with `device="cuda"` reaches the
journal's key before torch looks for a CUDA kernel, and there its `device` becomes the CPU. `.to`, `.cuda`, `torch.tensor`,
`as_tensor` and `asarray` do not: they need a CUDA guard, or work below every key. So these are replaced on `torch.Tensor`
and `torch`.

It differs from a GPU in these things:

- torch chooses operators by device (cuDNN, fused attention, LSTM), so names of Nodes and numbers differ; random numbers do,
  too;
- gradients that meet are added out of place, because reading a label asks for the storage;
- a CPU tensor inside `autocast("cuda")` is cast, too;
- `memory_allocated` counts only the tensors;
- `x.grad = g` with `g` on the other device is not refused;
- sparse tensors, streams, events, CUDA graphs and device properties raise one sentence (`StandInError`).
"""
