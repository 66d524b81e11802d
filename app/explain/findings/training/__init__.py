"""Finders about training without effect or with an unintended effect: losses, optimizers, modes, loops."""
