"""Sentences with which callers only begin, so that another one follows. English. Pure."""

from __future__ import annotations

import re

_GREETING = r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day))(?: there| again)?"
_INTRODUCTION = r"(?:this is|my name is|my name's) \w+(?: \w+){0,2}"
_ANNOUNCEMENT = (
    r"i(?:'ve got| (?:just |also |actually )?(?:have|had|got|have got)) "
    r"(?:a|one|another|two|some|a few)(?: quick| more| other| short)?"
    r" (?:questions?|problems?|requests?|things?|issues?)"
    r"|(?:can|could|may) i (?:just |also )?ask (?:you )?(?:something|a question)(?: else)?"
    r"|(?:there is|there's) (?:something|one (?:more|other) thing|another thing)(?: else)?"
    r"|one (?:more|other|last) thing"
    r"|let me (?:just )?(?:think|see|check|look|have a look|take a look|explain)(?: about it)?"
    r"|(?:just )?(?:a|one) (?:moment|second|minute)(?: please)?"
    r"|hold on|excuse me|please|you know(?: what)?|well|so|actually|listen|look"
)
_MORE = r"yes(?: please| there is| i do| i have)?|yeah|actually yes|there is"
"""In answer to the question whether there is more."""
_PART = re.compile(r"[.!,;:]+\s*")
_GREETS = re.compile(_GREETING, re.IGNORECASE)
_BEGINS = re.compile(f"{_GREETING}|{_ANNOUNCEMENT}", re.IGNORECASE)
_INTRODUCES = re.compile(_INTRODUCTION, re.IGNORECASE)
_SAYS_THAT_THERE_IS_MORE = re.compile(_MORE, re.IGNORECASE)
_ASKS_WHO = re.compile(r"\bname\b|\bwho\b|speak(?:ing)? (?:to|with)", re.IGNORECASE)
_ASKS_FOR_MORE = re.compile(
    r"(?:any|some)thing else|any (?:other|more|further) questions?|what else", re.IGNORECASE
)


def is_preface(text: str, asked: str) -> bool:
    """Whether nobody stops after ``text``, which answers what the agent has asked last.

    A greeting with a question mark wants an answer: the caller wonders whether anybody is there.
    """
    parts = [part for part in _PART.split(text.strip()) if part]
    return bool(parts) and all(_is_preface(part.replace("’", "'"), asked) for part in parts)


def _is_preface(part: str, asked: str) -> bool:
    if _INTRODUCES.fullmatch(part):
        return _ASKS_WHO.search(asked) is None
    if _SAYS_THAT_THERE_IS_MORE.fullmatch(part):
        return _ASKS_FOR_MORE.search(asked) is not None
    if part.endswith("?"):
        part = part.removesuffix("?")
        return _GREETS.fullmatch(part) is None and _BEGINS.fullmatch(part) is not None
    return _BEGINS.fullmatch(part) is not None
