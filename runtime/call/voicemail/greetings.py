"""Words that machines say and people who answer a phone do not. Pure."""

from __future__ import annotations

import re

_PHRASES = (
    # English
    r"\bleave (?:me |us )?(?:a |your )?(?:short |brief |detailed )?(?:message|name|number)",
    r"\b(?:after|at) the (?:tone|beep)\b",
    r"\b(?:voice ?mail|mail ?box|answering machine)\b",
    r"\b(?:can(?:no|')?t|unable to|not able to) (?:come to|take|answer|get to)\b"
    r".{0,20}\b(?:phone|call)\b",
    r"\bnot available (?:right now|to take|at the moment)",
    r"\bnobody is (?:at )?home\b",
    r"\bget back to you\b",
    r"\bthe (?:person|number|customer) you (?:are calling|have (?:dialed|called|reached))\b",
    # German
    r"\bnach dem (?:ton|signalton|piep\w*)\b",
    r"\bhinterlassen sie\b",
    r"\b(?:mailbox|anrufbeantworter|sprachbox)\b",
    r"\b(?:zurzeit|zur zeit|momentan|gerade) nicht (?:erreichbar|zu erreichen)\b",
    # Spanish
    r"\bdespués de la señal\b",
    r"\bdeje (?:su|un) mensaje\b",
    r"\bbuzón de voz\b",
    # French
    r"\baprès le (?:bip|signal)\b",
    r"\blaissez (?:un|votre|moi un) message\b",
    r"\b(?:messagerie|répondeur)\b",
)
_SAID_BY_MACHINES = re.compile("|".join(_PHRASES), re.IGNORECASE)


def sounds_recorded(text: str) -> bool:
    """Whether ``text`` has words of an answering machine's greeting."""
    return _SAID_BY_MACHINES.search(text) is not None
