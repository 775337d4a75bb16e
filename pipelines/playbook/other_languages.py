"""Recognises that a caller speaks another language than English, by its script or its words."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from pipelines.playbook.values.phrase import Phrase


@dataclass(frozen=True, slots=True)
class Language:
    name: str
    words: frozenset[str]
    """Frequent words that no English sentence has. Particles of names ("de", "la") are left out."""
    only_english: str
    """"I only understand English", in this language; empty where the offline voice cannot say "
    "it."""


def _language(name: str, words: str, only_english: str) -> Language:
    return Language(name, frozenset(words.split()), only_english)


_LANGUAGES = (
    _language(
        "Spanish",
        "hola buenos buenas dias tardes quiero quisiera necesito una para por favor gracias usted "
        "ustedes habla hablo español espanol estoy tengo puedo puede cita mesa mañana manana con "
        "cuanto cuánto cuesta donde dónde qué pero mi muy sí ingles inglés reserva",
        "Lo siento, solo entiendo inglés.",
    ),
    _language(
        "French",
        "bonjour bonsoir je voudrais j'aimerais jaimerais vous est suis avez rendez une avec merci "
        "s'il sil plaît plait oui pour demain parlez français francais combien où cest c'est nous "
        "réserver reserver pouvez bien",
        "Désolé, je ne comprends que l'anglais.",
    ),
    _language(
        "German",
        "hallo guten tag morgen ich möchte moechte hätte haette gerne einen eine termin bitte und "
        "danke sprechen deutsch ist nicht haben brauche wie viel kostet wo sind ja nein für mir "
        "mit heute auf",
        "Entschuldigung, ich verstehe nur Englisch.",
    ),
    _language(
        "Italian",
        "ciao buongiorno buonasera vorrei grazie prego parla italiano appuntamento domani sono "
        "quanto costa dove per favore posso avere prenotare tavolo persone una mi chiamo",
        "Mi dispiace, capisco solo l'inglese.",
    ),
    _language(
        "Portuguese",
        "olá ola bom dia boa tarde quero queria gostaria preciso obrigado obrigada você voce fala "
        "português portugues uma consulta amanhã amanha não nao sim marcar quanto custa",
        "Desculpe, só entendo inglês.",
    ),
    _language(
        "Dutch",
        "hallo goedemorgen goedemiddag ik wil graag een afspraak dank alstublieft spreekt "
        "nederlands voor morgen niet hoeveel waar zijn ja nee het",
        "Sorry, ik versta alleen Engels.",
    ),
    _language(
        "Polish",
        "dzień dzien dobry proszę prosze dziękuję dziekuje chciałbym chcialbym umówić wizytę mówi "
        "polsku jest nie tak jutro",
        "",
    ),
    _language(
        "Turkish",
        "merhaba randevu istiyorum teşekkürler tesekkurler lütfen lutfen türkçe turkce konuşuyor "
        "musunuz yarın evet hayır",
        "",
    ),
)
_SHARED = frozenset(
    "mi per par pour avec con est ist sind tag bien sono ja no die was so sim ola hallo".split()
)
"""Words that may be a name or English. They count beside others, but alone they say nothing."""
_GREETINGS = frozenset(
    "hola bonjour bonsoir buongiorno buonasera merhaba olá goedemorgen goedemiddag".split()
)
"""The only words that are enough alone: others may be somebody's name, or a town's."""
_SCRIPTS = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CYRILLIC": "Russian",
    "ARABIC": "Arabic",
    "DEVANAGARI": "Hindi",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
}
_LEAST_LETTERS = 2
_LEAST_SHARE = 0.4
_NAMES = (
    "spanish|french|german|italian|portuguese|dutch|polish|turkish|chinese|mandarin|cantonese|"
    "japanese|korean|russian|arabic|hindi|greek|hebrew|thai|vietnamese|tagalog|urdu|punjabi|bengali|"
    "ukrainian|romanian|swedish|czech"
)
_ASKS_FOR = re.compile(
    rf"\b(?:speaks?|understand|talk|continue|know) (?:in |any |some )?(?P<name>{_NAMES})\b"
    rf"|\b(?:in|switch to) (?P<other>{_NAMES})(?: please)?$"
    r"|\b(?:dont|do not|cant|no) speak (?:any |good |much )?(?P<english>english)\b"
)


def other_language(said: Phrase) -> Language | None:
    """The language that the caller speaks or asks for, if it is another than English."""
    if asked := _ASKS_FOR.search(said.plain):
        name = (asked["name"] or asked["other"] or "another language").title()
        return next((known for known in _LANGUAGES if known.name == name), _language(name, "", ""))
    if (script := _script(said.plain)) is not None:
        return _language(script, "", "")
    rated = ((_rating(known, said.words), number) for number, known in enumerate(_LANGUAGES))
    rating, number = max(rated)
    return _LANGUAGES[number] if rating >= _LEAST_SHARE else None


def _rating(language: Language, words: tuple[str, ...]) -> float:
    """The share of ``words`` that belong to the language, 0 to 1."""
    known = [word for word in words if word in language.words]
    if not any(word not in _SHARED for word in known):
        return 0.0
    is_greeting = len(words) == 1 and words[0] in _GREETINGS
    return len(known) / len(words) if len(known) > 1 or is_greeting else 0.0


def _script(text: str) -> str | None:
    letters = [letter for letter in text if letter.isalpha() and ord(letter) > 0x370]
    if len(letters) < _LEAST_LETTERS:
        return None
    of = unicodedata.name(letters[0], "").split(" ")[0]
    return _SCRIPTS.get(of)
