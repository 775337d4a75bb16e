"""Sentences that the owner dictates word for word: greeting, closing and last words."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SAYS = r"[^\".]{0,60}?[:,]? ?\"(?P<line>[^\"]{2,500})\""
_OPENER = re.compile(
    r"\b(?:greet\w*|open(?:s|er|ing)?|start(?:s|ing)?|begin(?:s|ning)?|answer(?:s|ing)? "
    r"(?:the phone|calls?|with)|first (?:words|sentence|line)|pick(?:s|ing)? up|introduc\w+|"
    rf"say hello){_SAYS}",
    re.IGNORECASE,
)
_FAREWELL = re.compile(
    r"\b(?:goodbye|sign(?:s|ing)?[ -]?off|last words|hang(?:s|ing)? up|end(?:s|ing)? (?:the |each |"
    rf"every |all )?(?:calls?|conversation)s?|farewell|end (?:call )?message){_SAYS}",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:clos(?:e|es|ing)|call to action|cta|conclud\w+|wrap(?:s|ping)? up|finish\w*|"
    rf"at the end){_SAYS}",
    re.IGNORECASE,
)
_PLAIN_OPENER = re.compile(
    r"\b(?:opener|opening line|greeting|first sentence|first line|first words)"
    r"(?: (?:should be|must be|is|to)|:) ?(?P<line>[^\"]{8,300})$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpokenLines:
    opener: str = ""
    closing: str = ""
    farewell: str = ""


NO_LINES = SpokenLines()


def spoken_lines_in(sentence: str) -> SpokenLines:
    """The lines that the sentence dictates; empty if it dictates none."""
    farewell = _line(_FAREWELL, sentence)
    closing = "" if farewell else _line(_CLOSING, sentence)
    opener = _line(_OPENER, sentence) or _line(_PLAIN_OPENER, sentence)
    return SpokenLines(opener if opener not in (farewell, closing) else "", closing, farewell)


def _line(pattern: re.Pattern[str], sentence: str) -> str:
    match = pattern.search(sentence)
    return match["line"].strip() if match else ""
