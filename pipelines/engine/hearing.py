"""Which of the recogniser's text the agent hears."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.agent_config import Advanced

_PROFANITIES = (
    r"fuck\w*|motherfuck\w*|shit\w*|bullshit|bitch\w*|cunt\w*|asshole\w*|bastard\w*|dickhead\w*|"
    r"wanker\w*|twat\w*|slut\w*|whore\w*"
)
_HESITATION = re.compile(r"(?:\W*\b(?:u+h+m*|u+m+|e+r+m*|h+m+|mm+|a+h+))+\W*", re.IGNORECASE)
"""One "M" alone is a letter that somebody spells."""
_HUMMED_ANSWER = re.compile(r"\W*(?:(?:m+|h+m+)[\s-]+h?m+|u+h+[\s-]+h?u+h+)\W*", re.IGNORECASE)
"""Yes ("mm-hmm") or no ("uh-uh")."""
_PROFANITY = re.compile(rf"\b(?:{_PROFANITIES})\b", re.IGNORECASE)


@dataclass(frozen=True)
class HearingRules:
    min_confidence: float | None = None
    mask_profanity: bool = False

    @classmethod
    def of(cls, advanced: Advanced) -> HearingRules:
        return cls(advanced.stt_confidence_threshold, advanced.stt_profanity_filter)

    def hear(self, text: str, confidence: float) -> str | None:
        """The text that the agent hears; ``None`` if it is too uncertain or only a hesitation
        ("um"). Such a sound neither starts a turn nor interrupts the agent.

        A ``confidence`` of 0 means that the recogniser gives none. Such text is accepted.
        """
        if self.min_confidence is not None and 0 < confidence < self.min_confidence:
            return None
        if _HESITATION.fullmatch(text) and not _HUMMED_ANSWER.fullmatch(text):
            return None
        if not self.mask_profanity:
            return text
        return _PROFANITY.sub(lambda match: match.group()[0] + "*" * (len(match.group()) - 1), text)
