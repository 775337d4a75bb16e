"""Turns words about the caller into words to the caller: "their budget" → "your budget"."""

from __future__ import annotations

import re

CALLER = (
    r"(?:(?:the |a |an |your |each |every )?(?:caller|customer|client|patient|guest|person|user|"
    r"lead|prospect|visitor|candidate|tenant|member|student|driver|buyer|seller|individual)s?"
    r"|they|he or she|he/she|someone|somebody|them|him or her)"
)
_PRONOUNS = (
    (r"\b(?:they|he or she|he/she|s/he)(?:'| a)re\b|\bthey're\b", "you're"),
    (r"\bthey'd\b", "you'd"),
    (r"\bthey've\b", "you've"),
    (r"\bthey'll\b", "you'll"),
    (r"\b(?:their|his or her|his/her)\b", "your"),
    (r"\btheirs\b", "yours"),
    (r"\bthemsel(?:ves|f)\b", "yourself"),
    (r"\b(?:they|them|he or she|he/she|him or her)\b", "you"),
    (
        r"\b(?:the|your) (?:caller|customer|client|patient|guest|user|lead|prospect)(?:'s|s'|’s)",
        "your",
    ),
    (r"\b(?:the|your) (?:caller|customer|client|patient|guest|user|lead|prospect)s?\b", "you"),
)
_RULES = tuple((re.compile(pattern, re.IGNORECASE), word) for pattern, word in _PRONOUNS)
_YOU_WITH_S = re.compile(
    r"\byou (has|is|was|does|wants|needs|owns|rents|lives|works|prefers|likes)\b"
)
_WITHOUT_S = {"has": "have", "is": "are", "was": "were", "does": "do"}
_AUXILIARY = re.compile(
    r"^you (?P<verb>are|have been|have|had|can|could|would|will|were|do|did|should|need|want|own"
    r"|rent|live|work|prefer|like|plan|know|use)\b(?P<not> not)?(?P<rest>.*)$"
)
_INVERTED = frozenset(["are", "can", "could", "would", "will", "were", "should"])
_CONTRACTED = (
    ("you're", "you are"),
    ("you'd", "you would"),
    ("you've", "you have"),
    ("you'll", "you will"),
)


def to_caller(clause: str) -> str:
    for pattern, word in _RULES:
        clause = pattern.sub(word, clause)
    return _YOU_WITH_S.sub(lambda m: f"you {_WITHOUT_S.get(m[1], m[1][:-1])}", clause)


def sentence(text: str) -> str:
    """``text`` with a capital letter, and a full stop if it has no other end."""
    text = text.strip()
    end = "" if text.endswith((".", "!", "?", "…")) else "."
    return f"{text[:1].upper()}{text[1:]}{end}" if text else ""


def question_whether(clause: str) -> str:
    """``they have insurance`` → ``Do you have insurance?``"""
    said = to_caller(clause).strip().rstrip(".?! ")
    for short, long in _CONTRACTED:
        said = re.sub(rf"^{short}\b", long, said, flags=re.IGNORECASE)
    match = _AUXILIARY.match(said)
    if match is None or match["not"]:
        return f"Please tell me whether {said}."
    verb, rest = match["verb"], match["rest"]
    if verb == "have been":
        return f"Have you been{rest}?"
    if verb in _INVERTED:
        return f"{verb.capitalize()} you{rest}?"
    if verb in ("do", "did", "had"):
        return f"{verb.capitalize()} you{rest}?" if verb != "had" else f"Have you had{rest}?"
    return f"Do you {verb}{rest}?"


def question_about(clause: str) -> str:
    """``what time they prefer`` → ``Please tell me what time you prefer.``"""
    said = to_caller(clause).strip().rstrip(".?! ")
    said = f"{said[:1].lower()}{said[1:]}"
    match = re.match(
        r"^(?P<asked>(?:what|which|when|where|why|how|who)\b(?: \w+){0,3}?) you (?P<verb>would|can|"
        r"could|are|will|were|should)\b(?P<rest>.*)$",
        said,
        re.IGNORECASE,
    )
    if match is not None:
        asked = f"{match['asked'][:1].upper()}{match['asked'][1:]}"
        return f"{asked} {match['verb']} you{match['rest']}?"
    if re.match(r"^how (?:many|much)\b(?! .*\byou\b)", said, re.IGNORECASE):
        return f"{said[:1].upper()}{said[1:]}?"
    return f"Please tell me {said}."
