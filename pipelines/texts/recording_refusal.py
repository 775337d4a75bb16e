"""Whether somebody says that they do not want to be recorded. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pipelines.texts.language import primary_language

_FEW_WORDS = r"(?:\s+[\w']+){0,5}?\s+"

_REFUSALS: Mapping[str, tuple[str, ...]] = {
    "en": (
        # "Do not record this", but not "do not record the appointment yet".
        r"\b(?:do not|don't|dont|never|not to)\s+(?:please\s+)?(?:record|tape)\b"
        r"(?!\s+(?:the|a|an|my|our|any)\s+(?!call|conversation|voice))",
        rf"\b(?:not|don't|dont|won't|wouldn't|can't|never)\s+"
        rf"(?:really\s+)?(?:want|wish|like|agree|consent|okay|ok|fine|comfortable|happy|allow|permit"
        rf"|give\s+(?:\w+\s+){{0,2}}?(?:consent|permission))"
        rf"{_FEW_WORDS}(?:recorded|recording|record)\b",
        r"\b(?:rather|prefer|wish)\s+(?:\w+\s+){0,3}?"
        r"(?:didn't|did not|don't|do not|wouldn't|wasn't|weren't|not)\s+"
        r"(?:be(?:ing)?\s+)?record(?:ed|ing)?\b",
        r"\b(?:can|could|would|will|may|must)\s+(?:you\s+)?(?:please\s+)?not\s+record\b",
        r"\bnot\s+(?:to\s+)?be(?:ing)?\s+recorded\b",
        r"\b(?:stop|turn off|switch off|disable|delete)\s+(?:the\s+|this\s+|your\s+)?recording\b",
        r"\bno\s+recordings?\b(?!\s+(?:is|are)\b)",
        r"\bwithout\s+(?:a\s+|the\s+|any\s+|being\s+)?record(?:ing|ed)\b",
        rf"(?<!not )(?<!n't )\b(?:object|refuse)\s+to{_FEW_WORDS}?record(?:ing|ed)\b",
    ),
    "de": (
        r"\bnicht\b[^.!?]{0,30}\b(?:aufnehmen|aufgenommen|aufzeichnen|aufgezeichnet|mitschneiden"
        r"|mitgeschnitten)\b",
        r"\b(?:keine|ohne)\s+(?:\w+\s+)?(?:aufnahme|aufzeichnung|mitschnitt)\b",
        r"\b(?:zeichnen|nehmen|schneiden)\s+sie\s+(?:\w+\s+){0,4}?nicht\s+(?:auf|mit)\b",
        r"\b(?:stoppen|beenden|löschen)\s+sie\s+(?:bitte\s+)?die\s+(?:aufnahme|aufzeichnung)\b",
        r"\bmit\s+der\s+(?:aufnahme|aufzeichnung)\s+nicht\s+einverstanden\b",
    ),
    "es": (
        r"\bno\s+(?:\w+\s+){0,4}?(?:grab(?:e|en|es|ar|arme|arnos|ada|ado|ando)|grabación)\b",
        r"\bsin\s+(?:grabar|grabación|que\s+(?:me\s+)?graben)\b",
        r"\b(?:deje|dejen)\s+de\s+grabar\b",
        r"\b(?:detenga|pare|borre)\s+la\s+grabación\b",
    ),
    "fr": (
        r"\bn'enregistre[rz]?\s+(?:\w+\s+)?pas\b",
        r"\bne\s+(?:m'|nous\s+|pas\s+)*enregistre[rz]?\b",
        r"\bpas\s+(?:\w+\s+){0,3}?(?:d'enregistrement|enregistrer|enregistrée?|l'enregistrement"
        r"|m'enregistrer)\b",
        r"\bsans\s+(?:enregistrement|enregistrer|être\s+enregistrée?)\b",
        r"\b(?:arrêtez|supprimez|coupez)\s+l'enregistrement\b",
    ),
    "hi": (
        r"रिकॉर्ड(?:िंग)?(?:\s+\S+){0,2}?\s+(?:मत|न|ना|नहीं|बंद)(?=\s|[।.!?,]|$)",
        r"(?:मत|न|ना|नहीं)\s+रिकॉर्ड",
    ),
    "it": (
        r"\bnon\s+(?:\w+\s+){0,4}?registr(?:are|armi|arci|i|ate|iate|ato|ata|ino|azione)\b",
        r"\b(?:senza|nessuna)\s+(?:registrare|registrazion[ei]|essere\s+registrat[oaie])\b",
        r"\b(?:fermi|interrompa|spenga|cancelli)\s+la\s+registrazione\b",
        r"\bsmetta\s+di\s+registrare\b",
    ),
    "nl": (
        r"\bniet\b[^.!?]{0,30}\b(?:opnemen|opgenomen|opneemt|opneem)\b",
        r"\bneem(?:t)?\b[^.!?]{0,30}\bniet\s+op\b",
        r"\b(?:geen|zonder)\s+(?:\w+\s+)?(?:opnames?|op\s+te\s+nemen)\b",
        r"\b(?:stop|stopt|verwijder|wis)\s+(?:u\s+)?(?:alstublieft\s+)?(?:met\s+)?(?:de\s+)?"
        r"(?:opname|opnemen)\b",
    ),
    "pl": (
        r"\bnie\s+(?:\w+\s+){0,4}?(?:nagryw\w+|nagra[ćn]\w*)",
        r"\bbez\s+nagr(?:ywania|ania)\b",
        r"\b(?:zatrzymać|wyłączyć|usunąć|przerwać)\s+nagr\w+",
    ),
    "pt": (
        r"\bnão\s+(?:\w+\s+){0,4}?grav(?:e|em|ar|ado|ada|ando|ação)\b",
        r"\bsem\s+(?:gravar|gravação|ser\s+gravad[oa])\b",
        r"\bparem?\s+de\s+gravar\b",
        r"\b(?:pare|interrompa|apague|desligue)\s+a\s+gravação\b",
    ),
}
_AGREEMENTS: Mapping[str, str] = {
    "en": r"\b(?:mind|problem|objections?|issue|trouble|care)\b",
    "de": r"\b(?:nichts\s+dagegen|kein\s+problem|stört\s+mich\s+nicht)\b",
    "es": r"\b(?:importa|problema|inconveniente|molesta)\b",
    "fr": r"\b(?:dérange|problème|gêne|inconvénient)\b",
    "hi": r"(?:दिक्कत|समस्या|परेशानी|आपत्ति|एतराज़)",
    "it": r"\b(?:dispiace|problem[ai]|disturba|importa|fastidio)\b",
    "nl": r"\b(?:bezwaar|probleem|(?:maakt|vind)\b[^.!?]{0,20}\bniet\s+(?:uit|erg))\b",
    "pl": r"\b(?:przeszkadza|problem\w*|przeciwko)\b",
    "pt": r"\b(?:importo|importa|problema|incomoda|inconveniente)\b",
}
"""Words that make a negation an agreement where they stand in it or beside it: "no me importa que
graben". Elsewhere they tell why somebody calls."""


def refuses_recording(text: str, locale: str) -> bool:
    """Only explicit words count, in the languages of the announcement (``phrases``): a "no" alone
    may answer something else."""
    language = primary_language(locale)
    if language not in _REFUSALS:
        language = "en"
    said = text.casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    agreements = [found.span() for found in re.finditer(_AGREEMENTS[language], said)]
    return any(
        not any(begin <= refusal.end() and refusal.start() - 1 <= end for begin, end in agreements)
        for pattern in _REFUSALS[language]
        for refusal in re.finditer(pattern, said)
    )
