"""The autograd graph: Nodes, saved tensors, hooks, modes, and backward."""
