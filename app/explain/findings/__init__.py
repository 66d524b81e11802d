"""Imports all finders. Each module in this package registers its finders when it is imported."""

from collections.abc import Mapping
from importlib import import_module
from pkgutil import walk_packages

from app.explain.finding import Finder, FinderError, registered


def in_order(finders: Mapping[str, Finder]) -> dict[str, Finder]:
    """The finders in the given order, except that each finder comes behind the finders in its `after`."""
    for name, finder in finders.items():
        if unknown := [other for other in finder.after if other not in finders]:
            raise FinderError(f"{name} runs after {unknown[0]}, but there is no such finder.")
    order: dict[str, Finder] = {}
    left = dict(finders)
    while left:
        ready = [name for name, finder in left.items() if order.keys() >= {*finder.after}]
        if not ready:
            raise FinderError(f"These finders depend on each other in a cycle: {', '.join(left)}.")
        order[ready[0]] = left.pop(ready[0])
    return order


for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)

FINDERS = in_order(dict(sorted(registered.items(), key=lambda each: (each[1].is_last, each[1].find.__module__))))
"""All finders by name, in the order in which they run: by folder and module, except for the constraints of `after`."""
