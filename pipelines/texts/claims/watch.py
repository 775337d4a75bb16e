"""Reads along what a realtime model says, for what it must not claim. Pure."""

from __future__ import annotations

import re

from pipelines.texts import word_borders
from pipelines.texts.claims.prohibited import ProhibitedClaims

_WHOLE_WORDS = re.compile(rf".*(?:{word_borders.NO_LETTER}|{word_borders.FLUSH})", re.DOTALL)
_KEPT_CHARACTERS = 400
"""Beside the longest claim: between its words there may be others than words."""


class ClaimWatch:
    """Of one message, whose words come bit by bit."""

    def __init__(self, claims: ProhibitedClaims) -> None:
        self._claims = claims
        self._text = ""

    def take(self, text: str) -> str | None:
        """The claim that is complete with ``text``, if there is one."""
        if not self._claims:
            return None
        self._text += text
        whole = _WHOLE_WORDS.match(self._text)
        claim = None if whole is None else self._first(whole.group())
        self._text = self._text[-_KEPT_CHARACTERS - self._claims.longest :]
        return claim

    def rest(self) -> str | None:
        """The claim with which the message ends, if it does."""
        return self._first(self._text)

    def _first(self, text: str) -> str | None:
        return next(iter(self._claims.said_in(text)), None)
