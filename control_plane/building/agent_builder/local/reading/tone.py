"""The agent's tone, in the owner's own adjectives."""

from __future__ import annotations

import re

_MANNERS = (
    "friendly|warm|professional|calm|brief|concise|short|formal|informal|casual|relaxed|empathetic|"
    "empathic|compassionate|polite|courteous|cheerful|upbeat|energetic|enthusiastic|"
    r"(?<!a )(?<!the )(?<!new )(?<!every )(?<!each )patient|"
    "reassuring|humorous|funny|playful|witty|luxurious|elegant|sophisticated|respectful|kind|"
    "caring|gentle|helpful|confident|persuasive|direct|efficient|quick|soft|soothing|serious|"
    "neutral|clear|welcoming|positive|sympathetic|conversational|natural|laid-back|bubbly|"
    "supportive|understanding|to the point|discreet|motivating|encouraging|businesslike"
)
_MANNER = re.compile(
    rf"\b(?:(?P<how>very|really|extremely|always|more|less|not too) )?"
    rf"(?P<manner>{_MANNERS})\b",
    re.IGNORECASE,
)
_ABOUT_SPEAKING = re.compile(
    r"\b(?:tone|style|manner|voice|sounds?|be|being|is|stays?|remain|keep (?:it|calls|answers|"
    r"things)|speaks?|talks?|polite|friendly|agent|assistant|receptionist|bot|"
    r"make (?:it|her|him))\b",
    re.IGNORECASE,
)
_BESIDE_A_NOUN = re.compile(
    r"^\s*(?:,|and\b|but\b|yet\b|voice|tone|agent|assistant|receptionist|bot|manner|style|way|"
    r"persona|concierge|caller|language|answers?|sentences|[.!;]|$|when|with|to\b|at\b|in\b|even|"
    r"on the phone|that|who|\w+ (?:agent|assistant|receptionist|bot))",
    re.IGNORECASE,
)
_DECLARED = re.compile(
    r"\b(?:tone|style|manner)(?: of voice)?(?: should be| must be| is|:)? (?P<tone>[^.;!?]{3,120})",
    re.IGNORECASE,
)


def tone_in(sentence: str) -> str:
    """The tone, for example ``Friendly and calm``; empty if the sentence does not describe it."""
    plain = re.sub(r"\"[^\"]*\"", " ", sentence)
    if not _ABOUT_SPEAKING.search(plain):
        return ""
    manners = []
    for match in _MANNER.finditer(plain):
        if not _BESIDE_A_NOUN.match(plain[match.end() :]):
            continue
        how = (match["how"] or "").lower()
        word = match["manner"].lower()
        manners.append(
            f"{how} {word}" if how in ("very", "extremely", "more", "less", "not too") else word
        )
    if manners:
        return sentence_case(joined(list(dict.fromkeys(manners))))
    declared = _DECLARED.search(plain)
    return sentence_case(declared["tone"].strip(" ,")) if declared else ""


def joined(words: list[str], conjunction: str = "and") -> str:
    """The words as a list, for example ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]
