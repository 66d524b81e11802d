"""How pages are looked at: `make test` sees each size, theme and language, `make test-long` all combinations of them."""

from typing import Any

import pytest

THEMES = ("light", "dark")
LOCALES = ("en-US", "zh-CN")
ON_ITS_DIAGONAL = (("light", "en-US"), ("dark", "zh-CN"))
"""What shows in one language or theme alone is seen here; what only a certain pair shows, in `make test-long`."""

Look = dict[str, Any]
"""Options of a visitor's browser."""


def name_of(look: Look) -> str:
    """Such as 1440-light-en, or without the width where it is the usual one."""
    parts = [look["color_scheme"], look["locale"][:2]]
    return "-".join([str(look["viewport"]["width"]), *parts] if "viewport" in look else parts)


def by_look(*sizes: tuple[int, int]) -> pytest.MarkDecorator:
    """A test that takes a `look`: in the usual size, or in each of these (CSS pixels), which take turns on the diagonal."""
    looks = []
    for number, size in enumerate(sizes or [None]):
        at = {} if size is None else {"viewport": {"width": size[0], "height": size[1]}}
        usual = ON_ITS_DIAGONAL if size is None else (ON_ITS_DIAGONAL[number % 2],)
        for theme in THEMES:
            for locale in LOCALES:
                look = {"color_scheme": theme, "locale": locale, **at}
                marks = () if (theme, locale) in usual else (pytest.mark.long,)
                looks.append(pytest.param(look, id=name_of(look), marks=marks))
    return pytest.mark.parametrize("look", looks)
