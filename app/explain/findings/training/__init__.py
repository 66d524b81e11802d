"""Training that runs and does not train, or trains something else: losses, optimizers, modes, loops."""
