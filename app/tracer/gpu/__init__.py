"""Lets the CPU stand in for a missing GPU.

Without a GPU, `device="cuda"` raises torch's error, and a finding offers the stand-in (`Request.stand_in`). With the stand-in,
every tensor is a CPU tensor with a label for its device. `Header.stand_in` and a note on every step show that the CPU stood in.
Without `Request.stand_in`, nothing is replaced.

In a CPU build of torch 2.13, if `torch.cuda._lazy_init` is replaced, a factory with `device="cuda"` reaches the journal's
dispatch key before torch looks for a CUDA kernel, and the kernel of this key changes the `device` to the CPU. `.to`, `.cuda`,
`torch.tensor`, `as_tensor` and `asarray` do not reach the key, because they need a CUDA guard or work below every key.
Therefore these functions are replaced.

Differences to a GPU:

- Torch chooses operators by device (cuDNN, fused attention, LSTM), so names of Nodes, values and random numbers differ.
- Gradients of one tensor are added out of place, because reading a label accesses the storage.
- CPU tensors inside `autocast("cuda")` are cast, too.
- `memory_allocated` counts only tensors.
- `x.grad = g` with `g` on another device is not refused.
- Sparse tensors, streams, events, CUDA graphs and device properties raise a `StandInError`.
"""
