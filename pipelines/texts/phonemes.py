"""A word's pronunciation, in the notations that voices read. Pure.

An agent gives it in the International Phonetic Alphabet (``advanced.pronunciations[].ipa``), with
or without slashes or brackets around it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from itertools import groupby

Notation = Callable[[str, str], str | None]
"""Takes a word as it is spelled and its IPA; ``None`` if it has no signs for these sounds."""

_AROUND = re.compile(r"^[/\[]\s*|\s*[/\]]$")
_UNSAID = re.compile("[.‿͜͡ːˑ]")
"""Ends of syllables, ties and lengths: they tell no two words of English apart."""
_STRESSES = "ˈˌ"
_ENGLISH = re.compile("tʃ|dʒ|aɪ|aʊ|eɪ|oʊ|əʊ|ɔɪ|ɜɹ|ɜr|n̩|l̩|m̩|.", re.DOTALL)
_SAME_IN_ENGLISH = {
    "əʊ": "oʊ",
    "ɜɹ": "ɝ",
    "ɜr": "ɝ",
    "n̩": "ən",
    "l̩": "əl",
    "m̩": "əm",
    "r": "ɹ",
    "g": "ɡ",
    "ʧ": "tʃ",
    "ʤ": "dʒ",
    "ɜ": "ɝ",
    "ɒ": "ɑ",
    "ɐ": "ə",
    "a": "ɑ",
    "e": "ɛ",
    "o": "oʊ",
    "ɾ": "t",
    "'": "ˈ",
    "ʼ": "ˈ",
}
"""What dictionaries write for the same sound of American English, or for the one closest to it."""
_VOWELS = ("aɪ", "aʊ", "eɪ", "oʊ", "ɔɪ", *"iuæɑɔəɚɛɝɪʊʌ")
_CONSONANTS = ("dʒ", "tʃ", *"bdfhjklmnpstvwzðŋɡɹʃʒθ")
_OF_ENGLISH = frozenset((*_VOWELS, *_CONSONANTS, *_STRESSES, " "))
_OF_CARTESIA = {"ʌ": "ə", "ɚ": "ɝ"}
_OF_MISAKI = {
    "aɪ": "I",
    "aʊ": "W",
    "eɪ": "A",
    "oʊ": "O",
    "ɔɪ": "Y",
    "dʒ": "ʤ",
    "tʃ": "ʧ",
    "ɝ": "ɜɹ",
    "ɚ": "əɹ",
}


def ssml(word: str, ipa: str) -> str | None:
    """``<phoneme>`` of SSML, one for each word: ElevenLabs wants it so ("Best practices", "Phoneme
    Tags")."""
    spelled, sounds = word.split(), _bare(ipa).split()
    if len(sounds) == 1:
        spelled = ["-".join(spelled)]
    is_ipa = all(map(_is_sound, "".join(sounds)))
    if not sounds or len(spelled) != len(sounds) or not is_ipa or set(word) & set("<>&"):
        return None
    pairs = zip(spelled, sounds, strict=True)
    return " ".join(f'<phoneme alphabet="ipa" ph="{ph}">{w}</phoneme>' for w, ph in pairs)


def cartesia(_word: str, ipa: str) -> str | None:
    """``<<h|æ|t>>``, one for each word, in the phonemes that Sonic 3 has for English ("IPA
    Phonemes")."""
    if (phonemes := english_phonemes(ipa)) is None:
        return None
    written = (_OF_CARTESIA.get(each, each) for each in phonemes)
    words = ("|".join(word) for is_gap, word in groupby(written, " ".__eq__) if not is_gap)
    return " ".join(f"<<{word}>>" for word in words)


def misaki(word: str, ipa: str) -> str | None:
    """``[hat](/hˈæt/)``, in the alphabet of voices that learned from Kokoro. Stress stands before
    its vowel. Dictionaries leave it out in words of one syllable."""
    phonemes = english_phonemes(ipa)
    if phonemes is None or set(word) & set("[]"):
        return None
    written: list[str] = []
    stress = "" if set(_STRESSES) & set(phonemes) else "ˈ"
    for phoneme in phonemes:
        if phoneme in _STRESSES:
            stress = phoneme
        elif phoneme in _VOWELS:
            written += stress, _OF_MISAKI.get(phoneme, phoneme)
            stress = ""
        else:
            written.append(_OF_MISAKI.get(phoneme, phoneme))
    return f"[{word}](/{''.join(written)}/)"


def english_phonemes(ipa: str) -> list[str] | None:
    """The phonemes of American English, stresses, and a space between two words; ``None`` if a
    sound is none of English."""
    text = " ".join(_bare(ipa).split())
    phonemes: list[str] = []
    for match in _ENGLISH.finditer(_UNSAID.sub("", text)):
        same = _SAME_IN_ENGLISH.get(match[0], match[0])
        phonemes += list(same) if same in ("ən", "əl", "əm") else [same]
    is_english = any(each in _VOWELS for each in phonemes) and _OF_ENGLISH.issuperset(phonemes)
    return phonemes if is_english else None


def _bare(ipa: str) -> str:
    return _AROUND.sub("", unicodedata.normalize("NFC", ipa).strip())


def _is_sound(character: str) -> bool:
    """A letter, a diacritic, a length or a stress."""
    return unicodedata.category(character) in ("Ll", "Lo", "Lm", "Mn", "Sk") or character == "."
