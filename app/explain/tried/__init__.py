"""Whether a fix does what it offers, judged by a run of it. Pure functions over two traces."""
