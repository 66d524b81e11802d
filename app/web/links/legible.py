"""Escapes titles and names of sharers: invisible characters, controls of direction, and stacks of combining marks.

The page itself escapes titles and names like all text of a snippet (static/js/run/legible.js).
"""

import re
import unicodedata
from typing import Final

_UNSEEN: Final = re.compile(
    "[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufeff\uffa0\ufff0-\ufffb\ufdf0-\ufdfd\U00012000-\U0001254f\U000e0000-\U000e0fff"
    "]|(?<![^\0-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f])"  # joiners are part of some scripts and of emoji
)
"""Invisible characters, controls of direction, and very wide ligatures."""
_FROM_THE_RIGHT: Final = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_ISOLATE, _END_ISOLATE = "\u2068", "\u2069"
MOST_MARKS: Final = 4
"""Maximum number of combining marks on one letter. No language uses more marks."""


def legible(text: str) -> str:
    """Make one line of text safe for display. Invisible characters are escaped as in Python."""
    if text.isascii() and text.isprintable():
        return text
    visible = _without_piles(_UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text))
    return f"{_ISOLATE}{visible}{_END_ISOLATE}" if _FROM_THE_RIGHT.search(visible) else visible


def _without_piles(text: str) -> str:
    marks, kept = 0, []
    for letter in text:
        marks = marks + 1 if unicodedata.category(letter).startswith("M") else 0
        kept.append(letter if marks <= MOST_MARKS else ascii(letter)[1:-1])
    return "".join(kept)
