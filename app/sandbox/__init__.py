"""Runs a snippet sealed off from everything: bubblewrap, a zygote, one child per run."""
