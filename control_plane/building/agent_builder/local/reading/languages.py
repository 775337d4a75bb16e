"""The languages that the agent should speak: those that the prompt names, or its own."""

from __future__ import annotations

import re

from pydantic import ValidationError

from contracts.agent_config import AgentConfig

_TAGS = {
    "english": "en-US",
    "german": "de-DE",
    "deutsch": "de-DE",
    "french": "fr-FR",
    "français": "fr-FR",
    "spanish": "es-ES",
    "español": "es-ES",
    "italian": "it-IT",
    "italiano": "it-IT",
    "portuguese": "pt-BR",
    "português": "pt-BR",
    "dutch": "nl-NL",
    "hindi": "hi-IN",
    "polish": "pl-PL",
    "turkish": "tr-TR",
    "arabic": "ar-SA",
    "japanese": "ja-JP",
    "korean": "ko-KR",
    "mandarin": "zh-CN",
    "russian": "ru-RU",
    "ukrainian": "uk-UA",
    "swedish": "sv-SE",
}
_REGIONS = {
    "british": "en-GB",
    "uk english": "en-GB",
    "australian": "en-AU",
    "indian english": "en-IN",
    "american": "en-US",
    "mexican": "es-MX",
    "latin american": "es-MX",
}
_LANGUAGE = "|".join(_TAGS)
_LIST = rf"(?P<languages>(?:(?:both|fluent|only|and|or|,|&|/|\s)*(?:{_LANGUAGE}))+)"
_SPOKEN = re.compile(
    rf"\b(?:speaks?|speaking|talks?|conversations?|language(?:s)?(?: is| are| should be|:| to)?|"
    rf"answers?(?: calls?| callers)?|(?:calls?|callers|it|responds?|respond|bilingual|fluent|"
    rf"multilingual|conversation|switch|change|entirely|always|only|be) ?(?:in|to)?)"
    rf" (?:in )?{_LIST}",
    re.IGNORECASE,
)
_SPEAKING = re.compile(rf"\b(?P<languages>{_LANGUAGE})[- ]speaking\b", re.IGNORECASE)
_IN = re.compile(rf"\b(?:in|auf|en) (?P<languages>{_LANGUAGE})\b", re.IGNORECASE)
_ACCENT = re.compile(
    rf"\b(?P<region>{'|'.join(_REGIONS)})(?: english| spanish| accent)\b", re.IGNORECASE
)
_COMMON_WORDS = {
    "en-US": "the a an and for that with to of is it my our who which book ask their calls",
    "de-DE": "der die das und ein eine einen für mein meine nach mit der ist soll den dem zu "
    "nimmt fragt unser unsere auf im von ich wir kunden anrufe bitte",
    "fr-FR": "le la les et un une des pour mon ma notre qui avec du au aux est doit je nous "
    "demande prend sur dans clients rendez-vous",
    "es-ES": "el la los las y un una para mi nuestro nuestra que con del al es debe necesito "
    "pregunta por quiero reservas citas clientes llamadas",
    "it-IT": "il lo la gli le e un una per mio mia nostro nostra che con del al della è deve "
    "chiede prenotazioni appuntamenti clienti voglio chiamate di",
    "pt-BR": "o a os as e um uma para meu minha nosso nossa que com do da no na é deve pergunta "
    "reservas clientes quero ligações consultas não",
    "nl-NL": "de het een en voor mijn ons onze die met van is moet vraagt naar klanten ik wij "
    "afspraken",
}
_SCRIPTS = (
    (re.compile(r"[\u0900-\u097F]"), "hi-IN"),
    (re.compile(r"[\u0600-\u06FF]"), "ar-SA"),
    (re.compile(r"[\u3040-\u30FF]"), "ja-JP"),
    (re.compile(r"[\uAC00-\uD7AF]"), "ko-KR"),
    (re.compile(r"[\u4E00-\u9FFF]"), "zh-CN"),
    (re.compile(r"[\u0400-\u04FF]"), "ru-RU"),
)
_LEAST_SCRIPT_SHARE = 0.3
DEFAULT = "en-US"


def languages_in(prompt: str) -> tuple[str, ...]:
    """BCP-47 tags in the order in which the prompt names the languages.

    If it names none, the language that it is written in. Empty for English, so that the agent
    keeps the default.
    """
    named: list[str] = []
    for pattern in (_SPOKEN, _SPEAKING, _IN):
        for match in pattern.finditer(prompt):
            words = re.findall(_LANGUAGE, match["languages"].lower())
            named += [_TAGS[word] for word in words]
    if accent := _ACCENT.search(prompt):
        region = _REGIONS[accent["region"].lower()]
        named = [region, *(tag for tag in named if tag[:2] != region[:2])]
    if named:
        return tuple(dict.fromkeys(named))
    written = written_in(prompt)
    return () if written == DEFAULT else (written,)


def says_language(sentence: str) -> bool:
    """Whether the sentence, which is English, says which language to speak."""
    patterns = (_SPOKEN, _SPEAKING, _IN, _ACCENT)
    return any(pattern.search(sentence) for pattern in patterns)


def written_in(text: str) -> str:
    """The language of ``text``, judged by its script and its most common words."""
    letters = sum(character.isalpha() for character in text) or 1
    for pattern, tag in _SCRIPTS:
        if len(pattern.findall(text)) / letters >= _LEAST_SCRIPT_SHARE:
            return tag
    words = re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", text.lower())
    counts = {
        tag: sum(word in common for word in words)
        for tag, common in (
            (tag, frozenset(listed.split())) for tag, listed in _COMMON_WORDS.items()
        )
    }
    best = max(counts, key=lambda tag: counts[tag])
    return best if counts[best] > counts[DEFAULT] and counts[best] >= 2 else DEFAULT


def is_language_tag(text: str) -> bool:
    """Whether ``text`` is a language tag that an agent can have."""
    try:
        AgentConfig(name="-", language=text)
    except ValidationError:
        return False
    return True
