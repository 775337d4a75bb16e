"""Objections, scripts and escalation conditions: what triggers them, and the answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipelines.playbook.concepts import concepts, share_of
from pipelines.playbook.values.phrase import Phrase, phrase

_ALTERNATIVES = re.compile(r"[,;/|\n]|\bor\b|\band\b", re.IGNORECASE)
_ONLY_POLITE = re.compile(
    r"\b(?:im|i am) afraid (?!of\b|it|that it|to\b)"
    r"|\bi (?:dont )?think (?!about\b|it over\b|over\b)"
)
_HOW_PAID = re.compile(r"\b(?:pay|paying) (?=by\b|with\b|in\b|using\b)")
"""Not about a price."""
_ABOUT_MONEY = re.compile(
    r"\b(?:how much|too much|that much|so much|pay|much money|much does|much is)\b"
)


@dataclass(frozen=True, slots=True)
class Trigger:
    """Matches when enough concepts of one of its alternatives are said."""

    alternatives: tuple[frozenset[str], ...]

    def strength(self, said: frozenset[str]) -> float:
        """How well it matches, 0 to 1."""
        return max((share_of(wanted, said) for wanted in self.alternatives), default=0.0)


@dataclass(frozen=True, slots=True)
class Response:
    trigger: Trigger
    text: str

    def fit(self, asked: frozenset[str]) -> float:
        """How well it answers a question about ``asked``, 0 to 1: what sets it off must be asked
        for, and what is asked for should occur in it."""
        best = max(self.trigger.alternatives, key=lambda wanted: share_of(wanted, asked))
        held = best | concepts(phrase(self.text).words)
        return (share_of(best, asked) + share_of(asked, held)) / 2


def trigger(written: str) -> Trigger:
    """``"too expensive, no insurance"`` has two alternatives."""
    parts = (
        concepts(_HOW_PAID.sub("", phrase(part).plain).split())
        for part in _ALTERNATIVES.split(written)
    )
    return Trigger(tuple(part for part in parts if part))


def said_concepts(said: Phrase) -> frozenset[str]:
    """The concepts of what was said. Leaves out "I'm afraid" and "I think" if they are only polite,
    and "much" and "pay" if they are not about a price."""
    plain = _HOW_PAID.sub("", _ONLY_POLITE.sub("", said.plain))
    if not _ABOUT_MONEY.search(plain):
        plain = re.sub(r"\bmuch\b", "", plain)
    return concepts(plain.split())


def strongest(responses: Iterable[Response], said: Phrase, least: float) -> Response | None:
    """The response that matches best, if it matches at least with ``least``. Of two that match
    alike, the one that holds more of a question's words."""
    heard = said_concepts(said)
    rated = (
        (strength, response.fit(heard), -number, response)
        for number, response in enumerate(responses)
        if (strength := response.trigger.strength(heard)) >= least
    )
    if said.is_question:
        rated = ((fit, strength, number, found) for strength, fit, number, found in rated)
    best = max(rated, key=lambda entry: entry[:3], default=None)
    return best[3] if best else None
