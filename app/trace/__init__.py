"""The ground floor: what a trace is, how it is read from untrusted bytes, what must hold in it, and how to ask it."""
