"""Parametrize browser tests with window sizes, themes and languages."""

from typing import Any

import pytest

THEMES = ("light", "dark")
LOCALES = ("en-US", "zh-CN")
ON_ITS_DIAGONAL = (("light", "en-US"), ("dark", "zh-CN"))
"""The combinations that `make test` uses: each theme and each language once. `make test-long` uses all combinations."""

Look = dict[str, Any]
"""Playwright's options for a browser context: color scheme, locale and perhaps viewport."""


def name_of(look: Look) -> str:
    """Return an id for the test, such as 1440-light-en, or light-en without a viewport."""
    parts = [look["color_scheme"], look["locale"][:2]]
    return "-".join([str(look["viewport"]["width"]), *parts] if "viewport" in look else parts)


def by_look(*sizes: tuple[int, int]) -> pytest.MarkDecorator:
    """Parametrize a test with `look`.

    Without `sizes`, `make test` uses both combinations of ON_ITS_DIAGONAL. With `sizes` (in CSS pixels), it uses one for each
    size, alternately.
    """
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
