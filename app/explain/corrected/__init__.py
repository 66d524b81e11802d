"""The gradients that a silently wrong backward would have given."""
