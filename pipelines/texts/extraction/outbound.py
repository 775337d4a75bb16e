"""Agents that call people: whom they ask for, and what they say that they call about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.texts.extraction.second_person import to_caller

_PEOPLE = (
    r"(?:customers?|patients?|clients?|leads?|guests?|members?|people|tenants?|prospects?|users?|"
    r"subscribers?|candidates?|buyers?|donors?|debtors?|attendees|voters|drivers|homeowners?|"
    r"borrowers?|policyholders?|patrons?|owners?|them)"
)
_VARIABLE = r"\{\{\s*(?P<name>[\w.]+)[^{}]*\}\}"
_OUTBOUND = re.compile(
    r"\b(?:outbound|cold[- ]call\w*)\b"
    r"|\b(?:agent|assistant|bot|it|that|which|who|to|should|will|please|and|i want you to)[ ,]+"
    r"(?:automatically )?(?:calls?|phones?|rings?|dials?|contacts?|follows? up with|"
    rf"reach(?:es)? out to|calling) (?:\w+ ){{0,3}}{_PEOPLE}\b"
    r"|(?:^|[.!?:;] )(?:please )?(?:call|phone|ring|contact) (?:up )?(?:all |our |my |the )?"
    r"(?!to\b|it\b|us\b|her\b|him\b|center|centre)(?:[\w-]+ ){0,2}?[\w-]+s\b "
    r"(?:who|that|whose|about|to|and|for|with|of)\b"
    r"|\byou(?:'re| are| will be)? (?:now )?call(?:ing)? (?:the |a |an |our )?"
    rf"(?:\w+ ){{0,3}}(?:{_PEOPLE}|\{{\{{)",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"^(?:(?:customer|client|patient|lead|contact|first|full|last|debtor|prospect|user|member|guest|"
    r"candidate|borrower|recipient|callee|person|homeowner|tenant|donor|owner|policyholder)"
    r"[_.]?)*(?:first|full|last)?[_.]?name$"
    r"|^(?:customer|patient|client|lead|contact|debtor|candidate|member|guest)$",
    re.IGNORECASE,
)
_CALLS_ABOUT = re.compile(
    r"\b(?:call(?:s|ing)?|phon(?:e|es|ing)|contact(?:s|ing)?|reach(?:es|ing)? out to|"
    r"follow(?:s|ing)? up with|speak(?:ing)? (?:to|with)|remind(?:s|ing)?)\b"
    r"(?:\{\{[^{}]*\}\}|[^.!?;{]){0,90}?\b(?:about|regarding|concerning|because of|on|of)\s+"
    r"(?P<what>(?:an?|the|their|his|her|your|our|overdue|unpaid|outstanding|\{\{"
    r"|(?<=about )\w|(?<=regarding )\w)[^.!?;:]{3,160})",
    re.IGNORECASE,
)
_THEIRS = re.compile(r"^(?:an?|the) (?=overdue|unpaid|outstanding|open|past[- ]due|missed)")
_STOP = re.compile(
    r",? (?:and|so|then|but|or) (?=ask|find|verify|confirm|collect|schedule|book|see|try|offer|get|"
    r"let|arrange|check|remind|agree|take)|,? (?:who|which|that) |, (?=ask|verify|confirm)",
    re.IGNORECASE,
)
_DETAILS = (
    (re.compile(r"invoice", re.IGNORECASE), "invoice {}"),
    (re.compile(r"(?:order|booking|case|policy)", re.IGNORECASE), "reference {}"),
    (re.compile(r"(?:amount|balance|total|sum)", re.IGNORECASE), "the amount is {}"),
    (re.compile(r"due[_.]?date", re.IGNORECASE), "it was due on {}"),
)


@dataclass(frozen=True, slots=True)
class OutboundLines:
    """What the agent says at the beginning of a call that it places."""

    asks_for: str
    """``Am I speaking with {{ name }}?``; empty if the prompt has no variable with a name."""
    business: str
    """``I'm calling about your invoice {{ number }}.``; empty if the prompt does not say it."""


def is_outbound(text: str) -> bool:
    """Whether the agent calls people, instead of being called."""
    return bool(_OUTBOUND.search(text))


def outbound_lines(text: str) -> OutboundLines:
    variables = {match["name"]: match[0] for match in re.finditer(_VARIABLE, text)}
    person = next((shown for name, shown in variables.items() if _PERSON.match(name)), "")
    return OutboundLines(
        f"Am I speaking with {person}?" if person else "", _business(text, variables)
    )


def _business(text: str, variables: dict[str, str]) -> str:
    match = _CALLS_ABOUT.search(text)
    if match is None:
        return ""
    what = _STOP.split(to_caller(match["what"].strip(" ,")))[0].strip(" ,")
    what = _THEIRS.sub("your ", what)
    said = f"I'm calling about {what}"
    for pattern, wording in _DETAILS:
        for name, shown in variables.items():
            if pattern.search(name) and shown not in said and not _PERSON.match(name):
                said += f", {wording.format(shown)}"
                break
    return f"{said}."
