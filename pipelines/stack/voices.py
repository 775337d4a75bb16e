"""Which voice a text-to-speech model speaks with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pipelines.stack.catalogue import ModelEntry, StackCatalogue, VoiceEntry
from pipelines.texts.language import closeness


class VoicedModel(NamedTuple):
    """If ``voice`` is ``None``, the model has no voice for the locale: it uses its default."""

    model: ModelEntry
    voice: VoiceEntry | None


def choose_voice(
    catalogue: StackCatalogue,
    models: Sequence[ModelEntry],
    wanted: Iterable[str],
    locale: str,
    *,
    gender: str | None = None,
) -> VoicedModel:
    """The first wanted voice that one of ``models`` has, else a voice of the best model.

    Args:
        models: not empty, best first.
        wanted: voice ids, most wanted first.
        gender: of the wanted voice. A substitute has the same gender if possible.
    """
    for voice_id in wanted:
        for model in models:
            for voice in _voices(catalogue, model, locale, gender):
                if voice.voice_id == voice_id:
                    return VoicedModel(model, voice)
    for model in models:
        voices = _voices(catalogue, model, locale, gender)
        if voices:
            return VoicedModel(model, voices[0])
    return VoicedModel(models[0], None)


def gender_of(catalogue: StackCatalogue, voice_ids: Iterable[str]) -> str | None:
    """The gender of the first of ``voice_ids`` that the catalogue knows."""
    genders = {voice.voice_id: voice.gender for voice in catalogue.voices}
    return next((genders[voice_id] for voice_id in voice_ids if voice_id in genders), None)


def _voices(
    catalogue: StackCatalogue, model: ModelEntry, locale: str, gender: str | None
) -> list[VoiceEntry]:
    """Voices of ``model`` for ``locale``: first by gender, then by the closest accent."""
    fitting = [
        (voice, close)
        for voice in catalogue.voices
        if voice.provider == model.provider and model.model in voice.models
        if (close := closeness(voice.languages, locale)) is not None
    ]
    fitting.sort(
        key=lambda found: (
            gender is not None and found[0].gender != gender,
            -found[1],
            found[0].rank,
            found[0].voice_id,
        )
    )
    return [voice for voice, _ in fitting]
