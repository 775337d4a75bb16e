"""How long to wait after the caller's last sound before the agent answers."""

from __future__ import annotations

import re
from dataclasses import dataclass

from contracts.agent_config import Advanced
from pipelines.texts.language import primary_language
from pipelines.texts.number_words import ends_with_number
from pipelines.texts.preface import is_preface
from pipelines.texts.utterance import SENTENCE_END

_SURE_SECONDS = 0.3
_UNSURE_SECONDS = 1.0
_VOICE_ACTIVITY_ALONE_SECONDS = 0.5
_SHORT_ANSWER_UNSURE_SECONDS = 0.6

_SHORT_ANSWER = re.compile(
    r"(yes|yeah|yep|yup|no|nope|okay|ok|sure|correct|right|that's right|exactly|of course|"
    r"hello|hi|thanks|thank you|goodbye|bye|yes please|no thanks|no thank you)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class EndpointingDelays:
    """Seconds since the caller's last sound.

    The engine answers after ``min_seconds``, or after ``max_seconds`` if the end-of-turn model
    predicts that the caller has not finished.
    """

    min_seconds: float
    max_seconds: float


def default_delays(advanced: Advanced) -> EndpointingDelays:
    """The delays before the caller has said any words."""
    reply_delay_seconds = advanced.reply_delay_ms / 1000
    if not advanced.smart_endpointing:
        wait_seconds = _VOICE_ACTIVITY_ALONE_SECONDS + reply_delay_seconds
        return EndpointingDelays(wait_seconds, wait_seconds)
    return EndpointingDelays(
        _SURE_SECONDS + reply_delay_seconds, _UNSURE_SECONDS + reply_delay_seconds
    )


def delays_after(
    text: str, advanced: Advanced, locale: str, *, asked: str = ""
) -> EndpointingDelays:
    """The delays after the caller has said ``text`` in the language of ``locale``.

    The agent's own settings, sentences that only begin something, and complete short answers change
    them. The setting for numbers comes before those for complete and incomplete sentences.

    Args:
        asked: what the agent has said last.
    """
    delays = default_delays(advanced)
    text = text.strip()
    own_wait_ms = _own_wait_ms(text, advanced, locale)
    if own_wait_ms is not None:
        wait_seconds = (own_wait_ms + advanced.reply_delay_ms) / 1000
        return EndpointingDelays(wait_seconds, max(wait_seconds, delays.max_seconds))
    if advanced.smart_endpointing and _is_preface(text, locale, asked):
        return EndpointingDelays(delays.max_seconds, delays.max_seconds)
    if _SHORT_ANSWER.fullmatch(text.rstrip(".,!? ").replace(",", "")):
        limit_seconds = _SHORT_ANSWER_UNSURE_SECONDS + advanced.reply_delay_ms / 1000
        return EndpointingDelays(delays.min_seconds, min(delays.max_seconds, limit_seconds))
    return delays


def _is_preface(text: str, locale: str, asked: str) -> bool:
    return primary_language(locale) == "en" and is_preface(text, asked)


def _own_wait_ms(text: str, advanced: Advanced, locale: str) -> float | None:
    if advanced.wait_after_numbers_ms is not None and ends_with_number(text, locale):
        return advanced.wait_after_numbers_ms
    if SENTENCE_END.search(text):
        return advanced.wait_after_sentence_ms
    return advanced.wait_after_no_punctuation_ms if text else None
