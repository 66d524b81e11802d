"""Finders about training that has no effect or the wrong one: losses, optimizers, modes, loops."""
