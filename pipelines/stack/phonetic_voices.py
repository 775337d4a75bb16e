"""Which voices say a word by its phonemes, and how they are told them. Pure."""

from __future__ import annotations

from contracts.call_plan import ProviderChoice
from pipelines.stack.catalogue import LOCAL
from pipelines.texts.language import primary_language
from pipelines.texts.phonemes import Notation, cartesia, misaki, ssml

_ELEVENLABS = ("eleven_flash_v2", "eleven_turbo_v2", "eleven_monolingual_v1")
"""The models that read phoneme tags (ElevenLabs' "Best practices"). Others, such as
``eleven_flash_v2_5``, skip them."""
_CARTESIA = "sonic-3"
"""Also ``sonic-3.5`` and later: earlier ones have other phonemes ("IPA Phonemes")."""
_LOCAL = "hibari-en"


def notation_of(voice: ProviderChoice, locale: str) -> Notation | None:
    """How the voice is told phonemes; ``None`` if it takes none in this language."""
    if primary_language(locale) != "en":
        return None
    match voice.provider:
        case "elevenlabs" if voice.model in _ELEVENLABS:
            return ssml
        case "cartesia" if voice.model.startswith(_CARTESIA):
            return cartesia
        case provider if provider == LOCAL and voice.model == _LOCAL:
            return misaki
        case _:
            return None
