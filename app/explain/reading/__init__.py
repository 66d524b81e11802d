"""The input of finders: the indexed trace, and the snippet as text and as a syntax tree."""
