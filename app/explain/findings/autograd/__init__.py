"""What autograd refuses, drops or computes with changed values: Nodes, saved tensors, leaves, custom Functions."""
