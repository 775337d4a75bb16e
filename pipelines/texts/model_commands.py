"""Sentences that are addressed to a language model, such as "Ignore all rules". Pure."""

from __future__ import annotations

import re

_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instructions?|prompts?|rules|"
    r"everything (?:above|before))\b"
    r"|\b(?:system|developer) (?:prompt|message)\b|\byou are now\b|\bjailbreak|\bdeveloper mode\b"
    r"|\buse the (?:tool|function)\b|\bas an ai (?:language )?model\b"
    r"|^\s*(?:system|assistant|user)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def is_command(sentence: str) -> bool:
    return _TO_A_MODEL.search(sentence) is not None


def without_commands(text: str) -> str:
    """Remove the sentences that are addressed to a language model."""
    if not is_command(text):
        return text
    kept = (part.strip() for part in _SENTENCE_END.split(text) if not is_command(part))
    return " ".join(filter(None, kept))
