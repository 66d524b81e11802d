"""Finders about calls: names, arguments and attributes that do not exist in torch or in the snippet."""
