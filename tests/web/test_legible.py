"""Escape invisible characters in the titles and names that visitors enter."""

import pytest

from app.web.links.legible import legible


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("plain text", "plain text"),
        ("张量共享内存", "张量共享内存"),
        ("a\u200bb\u202ec\x07", r"a\u200bb\u202ec\x07"),
        ("👩\u200d🔬 می\u200cخواهم", "\u2068👩\u200d🔬 می\u200cخواهم\u2069"),
        ("a\u200db", r"a\u200db"),
        ("\u200d", r"\u200d"),
        ("e" + "\u0301" * 6, "e" + "\u0301" * 4 + r"\u0301\u0301"),
        ("שלום", "\u2068שלום\u2069"),
        ("\U000e0041", r"\U000e0041"),
    ],
)
def test_legible(written: str, read: str) -> None:
    assert legible(written) == read
