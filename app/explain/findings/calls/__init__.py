"""Calls, names, arguments and attributes that are not as torch, or the snippet, has them."""
