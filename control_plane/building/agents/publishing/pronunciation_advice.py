"""Warnings about phonemes that a voice cannot say. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from contracts.agent_config import AgentConfig
from control_plane.building.agents.publishing.finding import Finding
from control_plane.building.agents.stacks import StackReport
from pipelines.stack.phonetic_voices import notation_of


def pronunciation_advice(config: AgentConfig, stacks: StackReport) -> Iterator[Finding]:
    entries = [entry for entry in config.advanced.pronunciations if entry.ipa]
    for locale, stack in stacks.stacks.items():
        voices = stack.without_realtime.tts
        for voice in dict.fromkeys((voices.primary, voices.fallback)):
            if voice is None:
                continue
            notation = notation_of(voice, locale)
            unsaid = [
                entry.word
                for entry in entries
                if notation is None or notation(entry.say_as, entry.ipa or "") is None
            ]
            if not unsaid:
                continue
            why = "takes no phonemes" if notation is None else "has not all of the phonemes"
            yield Finding(
                code="ipa_not_spoken",
                field="advanced.pronunciations",
                message=f"{locale}: {voice.provider}/{voice.model} {why}: it says "
                f"{', '.join(unsaid)} as say_as spells it.",
                fix="Choose a voice that takes phonemes and phonemes that it has, or see to it "
                "that say_as alone sounds right.",
            )
