"""Finders about autograd: Nodes, saved tensors, leaves, custom Functions."""
