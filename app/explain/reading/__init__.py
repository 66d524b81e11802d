"""What explanations read: the trace by its indexes, the snippet as text and as a syntax tree."""
