"""The part of the sandbox that runs inside the jail: the zygote, the sealing of a child, and the protocol with the server."""
