"""Whether a text ends with a number, in words or digits, in the languages of our own phrases. Pure.

A caller who has said a digit may say another one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from pipelines.texts.language import primary_language

_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "en": "zero oh one two three four five six seven eight nine ten eleven twelve thirteen"
        " fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty"
        " seventy eighty ninety hundred thousand million double triple",
        "de": "null ein eins zwei zwo drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn"
        " vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn zwanzig dreißig vierzig fünfzig"
        " sechzig siebzig achtzig neunzig hundert tausend million millionen",
        "es": "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce"
        " quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés"
        " veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve treinta cuarenta"
        " cincuenta sesenta setenta ochenta noventa cien ciento doscientos trescientos"
        " cuatrocientos quinientos seiscientos setecientos ochocientos novecientos mil millón"
        " millones doble triple",
        "fr": "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze"
        " quinze seize vingt vingts trente quarante cinquante soixante septante huitante octante"
        " nonante cent cents mille million millions double triple",
        "hi": "शून्य ज़ीरो जीरो एक दो तीन चार पाँच पांच छह छः छे सात आठ नौ दस ग्यारह बारह तेरह चौदह पंद्रह"
        " पन्द्रह सोलह सत्रह अठारह उन्नीस बीस तीस चालीस पचास साठ सत्तर अस्सी नब्बे सौ हज़ार हजार लाख करोड़"
        " डबल ट्रिपल",
    }
)
_WRITTEN_TOGETHER = frozenset({"de"})
"""einundzwanzig, zweihundertfünf."""
_AFTER = r"[\s.,!?।-]*$"


def ends_with_number(text: str, locale: str) -> bool:
    """
    Args:
        locale: a BCP-47 tag. In a language without phrases of ours, only digits count.
    """
    composed = unicodedata.normalize("NFC", text)
    return _pattern(primary_language(locale)).search(composed) is not None


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = unicodedata.normalize("NFC", _WORDS.get(language, "")).split()
    if not words:
        return re.compile(rf"\d{_AFTER}")
    number = "|".join(sorted(words, key=len, reverse=True))
    if language in _WRITTEN_TOGETHER:
        # Possessive: "dreizehn" has two readings, and many of them in a row two to that power.
        number = rf"(?:(?>{number})(?:und)?)++"
    return re.compile(rf"(?:\d|(?<![^\s-])(?:{number})){_AFTER}", re.IGNORECASE)
