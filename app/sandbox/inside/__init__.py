"""The code of the sandbox that runs inside the jail: the zygote, the seal of a child, and the protocol with the server."""
