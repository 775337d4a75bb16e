from __future__ import annotations

import time

import pytest

from pipelines.texts import phrases
from pipelines.texts.number_words import ends_with_number

NUMBERS = {
    "en": ["five five one", "it is twenty-one.", "double", "ten?"],
    "de": ["null eins sieben", "zweihundertfünfundzwanzig.", "dreißig", "Elf!", "eine Million"],
    "es": ["cinco cinco uno", "veintitrés", "treinta y siete.", "un millón"],
    "fr": ["zéro six douze", "trente-sept", "quatre-vingts", "vingt et un."],
    "hi": ["पाँच", "नौ आठ सात।", "एक हज़ार", "बारह"],
}
OTHERS = {
    "en": ["I am alone", "someone", "it weighs a ton.", ""],
    "de": ["das ist mein", "Verein", "Einsicht", "Zeit"],
    "es": ["ninguno", "buenos días", "once veces"],
    "fr": ["quelqu’un", "je viens de Cannes", "merci."],
    "hi": ["अनेक", "नमस्ते"],
}


def test_every_language_of_our_phrases_has_number_words() -> None:
    assert NUMBERS.keys() == OTHERS.keys() == set(phrases.languages())


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language in NUMBERS for text in NUMBERS[language]]
)
def test_a_number_at_the_end_is_found(language: str, text: str) -> None:
    assert ends_with_number(text, f"{language}-XX")


@pytest.mark.parametrize(
    ("language", "text"), [(language, text) for language in OTHERS for text in OTHERS[language]]
)
def test_other_words_at_the_end_are_none(language: str, text: str) -> None:
    assert not ends_with_number(text, language)


@pytest.mark.parametrize("locale", ["ja", "pt-BR"])
def test_in_other_languages_digits_count(locale: str) -> None:
    assert ends_with_number("12.", locale)
    assert not ends_with_number("five", locale)


@pytest.mark.parametrize("language", NUMBERS)
@pytest.mark.parametrize("text", ["dreizehn" * 250 + "x", "5 " * 1_000 + "x", "-" * 2_000 + "x"])
def test_no_text_takes_long(language: str, text: str) -> None:
    begun_at = time.perf_counter()
    assert not ends_with_number(text, language)
    assert time.perf_counter() - begun_at < 0.1
