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


def trigger(written: str) -> Trigger:
    """``"too expensive, no insurance"`` has two alternatives."""
    parts = (concepts(phrase(part).words) for part in _ALTERNATIVES.split(written))
    return Trigger(tuple(part for part in parts if part))


def said_concepts(said: Phrase) -> frozenset[str]:
    """The concepts of what was said. Leaves out "I'm afraid" and "I think" if they are only polite,
    and "much" if it is not about money."""
    plain = _ONLY_POLITE.sub("", said.plain)
    if not _ABOUT_MONEY.search(plain):
        plain = re.sub(r"\bmuch\b", "", plain)
    return concepts(plain.split())


def strongest(responses: Iterable[Response], said: Phrase, least: float) -> Response | None:
    """The response that matches best, if it matches at least with ``least``."""
    heard = said_concepts(said)
    rated = [(response.trigger.strength(heard), response) for response in responses]
    strength, response = max(rated, key=lambda pair: pair[0], default=(0.0, None))
    return response if strength >= least else None
