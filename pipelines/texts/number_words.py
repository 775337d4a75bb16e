"""Whether a text ends with a number, in words or digits. Pure.

A caller who has said a digit may say another one.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pipelines.texts.language import primary_language
from pipelines.texts.number_word_lists import NUMBER_WORDS, WITHOUT_SPACES, WRITTEN_TOGETHER

_AFTER = r"[\s.,!?।。！？-]*$"


def ends_with_number(text: str, locale: str) -> bool:
    """
    Args:
        locale: a BCP-47 tag. In a language whose words we do not know, only digits count.
    """
    composed = unicodedata.normalize("NFC", text)
    return _pattern(primary_language(locale)).search(composed) is not None


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = unicodedata.normalize("NFC", NUMBER_WORDS.get(language, "")).split()
    if not words:
        return re.compile(rf"\d{_AFTER}")
    number = "|".join(sorted(words, key=len, reverse=True))
    if language in WRITTEN_TOGETHER:
        # Possessive: "dreizehn" has two readings, and many of them in a row two to that power.
        number = rf"(?:(?>{number})(?:{WRITTEN_TOGETHER[language]})?)++"
    begin = "" if language in WITHOUT_SPACES else r"(?<![^\s-])"
    return re.compile(rf"(?:\d|{begin}(?:{number})){_AFTER}", re.IGNORECASE)
