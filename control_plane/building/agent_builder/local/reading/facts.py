"""What a sentence says about the business that callers may hear: hours, prices, address."""

from __future__ import annotations

import re

from control_plane.building.agent_builder.local.reading.tone import sentence_case
from pipelines.texts.extraction.internal_words import names_internals

_WEEKDAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
_HOURS = re.compile(
    rf"\b(?:we(?:'re| are) |is |are |it's |they(?:'re| are) )?(?P<clause>(?:open|closed)\b"
    rf"(?! (?:the|a|with|by|ended|questions|tickets?|to (?:questions|feedback))\b)"
    rf"(?=[^;]*(?:\d|{_WEEKDAY}|daily|every day|weekends|24/7|around the clock|noon|midnight))"
    rf"[^;.!?]*(?:[ap]\.m\.[^;.!?]*)*)",
    re.IGNORECASE,
)
_OPENING_HOURS = re.compile(
    r"\b(?:opening |business |working |office )?hours(?: are| is|:) "
    r"(?P<clause>[^;!?]*?)(?:[.](?:\s|$)|$)",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$€£₹]\s?\d|\d\s?(?:dollars?|euros?|pounds?|rupees?|usd|eur|gbp|inr|€|£)\b|"
    r"\bfree (?:parking|delivery|shipping|of charge|trial|consultation|wifi|cancellation)\b",
    re.IGNORECASE,
)
_PRICE = re.compile(
    r"\b(?:an?|the|our|each|every|one) (?:(?!and\b|that\b|is\b|costs?\b)[\w-]+ ){1,4}?"
    r"(?:is|are|costs?|starts? at) (?:[$€£₹] ?\d[\d,.]*\d|[$€£₹] ?\d|"
    r"\d+ (?:dollars|euros|pounds|rupees))(?: (?:per|an?|each) \w+)?",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|costs?|open|closed|can|do|does|offer|accept|serve|provide|"
    r"deliver|include|take|sell|make|start|starts|ends|works?|need|needs|must|ships?|includes|runs?|"
    r"'s|'re|'ve|charge|give|speak|welcome|allowed|bake|cook|repair|specialise|specialize)\b",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:located|situated|based)\b|\b(?:address is|find us|you can find)\b|"
    r"\b\d+ [A-Z][\w'-]+ (?:street|st|avenue|ave|road|rd|lane|square|boulevard|blvd|drive|way)\b",
    re.IGNORECASE,
)
_ABOUT_US = re.compile(
    r"^(?:we|our|there(?:'s| is| are)|parking|delivery|shipping|check-?(?:in|out)|"
    r"the (?:menu|kitchen|gym|pool|clinic|restaurant|hotel|salon|store|shop|office|company)|"
    r"appointments?|consultations?|cancellations?|returns?|refunds?|payments?|prices?|rooms?|"
    r"memberships?|classes|pets|dogs|children|kids|breakfast|dinner|lunch|wifi)\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"^(?P<who>[A-Z][^,.]{1,60}?) (?:is|are) (?P<what>(?:a|an|the)\b[^.!?]{4,300})", re.IGNORECASE
)
_INSTRUCTION = re.compile(
    r"\b(?:agent|assistant|receptionist|bot|callers?|customers? (?:who|that|say|ask)|you should|"
    r"you must|should|must|please|ask|collect|greet|transfer|escalate|never|always|i want|i need|"
    r"we need|we want|i'd like|we'd like|we would like|build|create|design|pretend|make sure|"
    r"don't|do not|say|tell|opener|closing|if (?:the|they|a|someone|anyone))\b",
    re.IGNORECASE,
)
_IMPERATIVE = re.compile(
    r"^(?:and |then |also )*(?:offer|book|take|answer|schedule|give|help|handle|let|make|be|sound|"
    r"speak|use|keep|try|get|confirm|check(?!-)|remind|reschedule|call|qualify|find|tell|send|mention|"
    r"sell|upsell|an? (?=agent|assistant|receptionist|bot)|receptionist|agent|assistant)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"^(?:address|location|parking|prices?|pricing|rates|fees|(?:opening |business )?hours)"
    r"\s*:\s*\S",
    re.IGNORECASE,
)
"""``Address: 3 Oak Avenue``: no verb, and a fact."""
_LONGEST_FACT = 400
_OWNERS_PLANS = re.compile(
    r"^[Ww]e (?:need|want|would|get|receive|miss|lose|struggle)\b"
    r"|^[Ww]e(?: are|'re) (?:looking\b|[A-Z])",
)


def facts_in(sentence: str) -> tuple[str, ...]:
    """Sentences in the owner's words that the agent can say unchanged."""
    text = re.sub(r"\"[^\"]*\"", " ", sentence).strip()
    if not text or text.endswith("?") or _OWNERS_PLANS.match(text) or names_internals(text):
        return ()
    if _LABELLED.match(text) and not _INSTRUCTION.search(text):
        return (_sentence(text),)
    is_statement = not (_INSTRUCTION.search(text) or _IMPERATIVE.match(text))
    if (
        is_statement
        and _STATES.search(text)
        and (_ABOUT_US.match(text) or _MONEY.search(text) or _PLACE.search(text))
    ):
        return (_sentence(re.sub(r"^(?:and|also|note that|remember that)\s+", "", text)),)
    return (*_prices(text), *_hours(text))


def description_in(sentence: str, business: str) -> str:
    """For example ``Bright Smile is a family clinic in Leeds.`` Empty if it is about the agent."""
    match = _DESCRIBES.match(sentence)
    if not match or not business or business.lower() not in match["who"].lower():
        return ""
    return "" if _INSTRUCTION.search(match["what"]) else _sentence(match[0])


def _prices(text: str) -> tuple[str, ...]:
    """Prices in a sentence about something else: ``a bath is $30 and a full groom is $65``."""
    return tuple(_sentence(match[0]) for match in _PRICE.finditer(text))


def _hours(text: str) -> tuple[str, ...]:
    """Opening hours in a sentence about something else."""
    if match := _OPENING_HOURS.search(text):
        return (_sentence(f"Our opening hours are {match['clause'].strip()}"),)
    if match := _HOURS.search(text):
        clause = re.split(
            r",? (?:and|that|which|who) (?=takes?|asks?|books?|should|it|the agent|"
            r"collects?|answers?|needs?)|, (?=ask|collect|tak|book|answer|that|which)",
            match["clause"],
        )[0]
        return (_sentence(f"We are {clause[:1].lower()}{clause[1:]}".strip(" ,")),)
    return ()


def _sentence(text: str) -> str:
    text = sentence_case(text.strip(" ,;")[:_LONGEST_FACT])
    return text if text[-1:] in ".?!" else f"{text}."
