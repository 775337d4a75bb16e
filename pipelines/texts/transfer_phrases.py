"""What agents say around a transfer, by language."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.texts.language import primary_language


@dataclass(frozen=True)
class _Phrases:
    announcing: str
    """To the person who has answered."""
    connecting: str
    """To the same, at the end."""
    unreached: str
    """To the caller."""


_PHRASES: dict[str, _Phrases] = {
    "en": _Phrases(
        "Hello, I have a caller for you.",
        "I am connecting you now.",
        "I am sorry, I could not reach anybody just now. How else can I help you?",
    ),
    "de": _Phrases(
        "Guten Tag, ich habe einen Anruf für Sie.",
        "Ich verbinde Sie jetzt.",
        "Leider konnte ich gerade niemanden erreichen. Wie kann ich Ihnen sonst helfen?",
    ),
    "es": _Phrases(
        "Hola, tengo una llamada para usted.",
        "Le paso ahora.",
        "Lo siento, ahora mismo no he podido localizar a nadie. ¿En qué más puedo ayudarle?",
    ),
    "fr": _Phrases(
        "Bonjour, j'ai un appel pour vous.",
        "Je vous mets en relation.",
        "Je suis désolé, je n'ai pu joindre personne. Comment puis-je vous aider autrement ?",
    ),
    "hi": _Phrases(
        "नमस्ते, आपके लिए एक कॉल है।",
        "मैं अभी आपको जोड़ता हूँ।",
        "माफ़ कीजिए, अभी किसी से संपर्क नहीं हो सका। मैं और कैसे मदद कर सकता हूँ?",
    ),
    "it": _Phrases(
        "Buongiorno, ho una chiamata per lei.",
        "La metto in comunicazione adesso.",
        "Mi dispiace, non sono riuscito a trovare nessuno. Come altro posso aiutarla?",
    ),
    "nl": _Phrases(
        "Hallo, ik heb een beller voor u.",
        "Ik verbind u nu door.",
        "Het spijt me, ik kon niemand bereiken. Waarmee kan ik u anders helpen?",
    ),
    "pl": _Phrases(
        "Dzień dobry, mam dla Państwa rozmowę.",
        "Już łączę.",
        "Przykro mi, nie udało się z nikim połączyć. Jak inaczej mogę pomóc?",
    ),
    "pt": _Phrases(
        "Olá, tenho uma chamada para você.",
        "Vou conectar vocês agora.",
        "Desculpe, não consegui falar com ninguém agora. Como mais posso ajudar?",
    ),
}


def briefing(locale: str, summary: str) -> str:
    """What the person is told before the caller is connected."""
    phrases = _of(locale)
    return " ".join(part for part in (phrases.announcing, summary, phrases.connecting) if part)


def unreached(locale: str) -> str:
    """What the caller is told when nobody was reached."""
    return _of(locale).unreached


def languages() -> tuple[str, ...]:
    return tuple(_PHRASES)


def _of(locale: str) -> _Phrases:
    return _PHRASES.get(primary_language(locale), _PHRASES["en"])
