"""The topic that a heading, or the words before a colon, announce."""

from __future__ import annotations

import re
from enum import Enum, auto


class Topic(Enum):
    NAME = auto()
    ROLE = auto()
    COMPANY_NAME = auto()
    COMPANY = auto()
    WEBSITE = auto()
    TONE = auto()
    AUDIENCE = auto()
    GOAL = auto()
    KNOWLEDGE = auto()
    OPENER = auto()
    QUESTIONS = auto()
    SLOTS = auto()
    OBJECTIONS = auto()
    CLOSING = auto()
    FALLBACK = auto()
    FAREWELL = auto()
    ESCALATION = auto()
    RULES = auto()


_TOPICS = (
    (
        Topic.RULES,
        r"\b(?:do not|don'?t|never|avoid|rules?|guardrails?|guidelines?|limits?|limitations"
        r"|restrictions?|boundaries|off[- ]limits|prohibited|compliance|constraints|important)\b",
    ),
    (Topic.OBJECTIONS, r"\b(?:objections?|rebuttals?|pushback|concerns)\b"),
    (Topic.FALLBACK, r"\bif the closing fails\b|\bfallback\b"),
    (
        Topic.FAREWELL,
        r"\b(?:good ?bye|farewell|sign[- ]?off|last words|final words|end(?:ing)? "
        r"(?:of )?(?:the )?(?:call|message|conversation)|ending|end message)\b",
    ),
    (
        Topic.OPENER,
        r"\b(?:greetings?|openers?|opening(?: (?:line|message|words|statement|script))?"
        r"(?! hours| times)|first (?:message|words|sentence|line)|introduction|welcome message)\b",
    ),
    (
        Topic.ESCALATION,
        r"\b(?:escalat\w+|transfers?|transferring|hand(?:ing)?[- ]?(?:off|over)"
        r"|human (?:agent|handoff)|live agent)\b",
    ),
    (
        Topic.SLOTS,
        r"\b(?:collect|gather|capture|(?:required|needed|necessary) (?:information|info|"
        r"details|data|fields)|information (?:needed|required)|details (?:needed|required)|"
        r"data points|ask (?:(?:the |your )?(?:caller|customer|them|guest|patient)s? )?for|obtain"
        r"|take down|slots|find out)\b",
    ),
    (Topic.QUESTIONS, r"\b(?:questions?|qualif\w+|discovery|ask)\b"),
    (
        Topic.TONE,
        r"\b(?:tone|style|personality|manner|how (?:to|you) (?:speak|talk|sound)"
        r"|voice|communication|demeanou?r)\b",
    ),
    (
        Topic.AUDIENCE,
        r"\b(?:audience|who you (?:talk|speak)|your callers|target (?:customers?|group)"
        r"|customer profile)\b",
    ),
    (
        Topic.GOAL,
        r"^(?!.*\b(?:tasks?|steps?)\b).*\b(?:goals?|objectives?|success|succeeds|purpose|mission|aims?)\b",
    ),
    (Topic.CLOSING, r"\b(?:closing|close|call to action|cta|wrap[- ]?up)\b"),
    (Topic.WEBSITE, r"^(?:company |our )?(?:website|url|web ?site)$"),
    (
        Topic.COMPANY_NAME,
        r"^(?:company|business|organi[sz]ation|clinic|restaurant|firm)"
        r"(?: name)?$",
    ),
    (Topic.COMPANY, r"\b(?:company|business|about us|organi[sz]ation|background)\b"),
    (Topic.NAME, r"^(?:your |agent(?:'s)? |assistant(?:'s)? )?name$"),
    (Topic.ROLE, r"^(?:your )?(?:role|title|job title|position)$"),
    (
        Topic.KNOWLEDGE,
        r"\b(?:knowledge|facts?|faqs?|what you know|hours|prices?|pricing|services?"
        r"|products?|information|location|address|context|menu|policies|policy|details)\b",
    ),
)
_RULES = tuple((topic, re.compile(pattern, re.IGNORECASE)) for topic, pattern in _TOPICS)
_MAX_WORDS = 12


def topic_of(heading: str) -> Topic | None:
    text = heading.strip(" :#*")
    if not text or len(text) > 120 or len(text.split()) > _MAX_WORDS:
        return None
    return next((topic for topic, pattern in _RULES if pattern.search(text)), None)
