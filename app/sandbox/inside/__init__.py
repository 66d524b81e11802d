"""The part of the sandbox that runs inside the jail: the zygote, the sealing of a child, and what both sides speak."""
