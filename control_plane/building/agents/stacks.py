"""The stack that serves an agent in each of its languages, or why there is none. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedStack
from pipelines.stack import (
    AvailableKeys,
    StackCatalogue,
    StackProblem,
    resolve_stack,
)

_NO_STACK = {"mode": "pipeline", "stt": None, "llm": None, "tts": None}


@dataclass(frozen=True)
class StackReport:
    """Everything by locale, the primary language first. Each locale has a stack or a problem."""

    stacks: dict[str, ResolvedStack]
    problems: dict[str, StackProblem]
    warnings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What differs from the agent's own choices."""

    @property
    def blockers(self) -> list[str]:
        return [f"{locale}: {problem.reason}" for locale, problem in self.problems.items()]

    @property
    def notes(self) -> list[str]:
        """The warnings, each beginning with its locale."""
        return [
            f"{locale}: {warning}"
            for locale, warnings in self.warnings.items()
            for warning in warnings
        ]


def report_stacks(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> StackReport:
    """Resolve the stack of every locale of ``agent`` with the tenant's ``keys``.

    Run it in a thread: 200 locales take a third of a second.
    """
    stacks: dict[str, ResolvedStack] = {}
    problems: dict[str, StackProblem] = {}
    warnings: dict[str, tuple[str, ...]] = {}
    for locale in dict.fromkeys((agent.language, *agent.languages)):
        resolved = resolve_stack(agent, catalogue, keys, locale)
        if isinstance(resolved, StackProblem):
            problems[locale] = resolved
        else:
            stacks[locale] = resolved.stack
            if resolved.warnings:
                warnings[locale] = resolved.warnings
    return StackReport(stacks, problems, warnings)


def every_key(catalogue: StackCatalogue) -> AvailableKeys:
    """The keys of a tenant of the highest tier if every provider had a key."""
    providers = frozenset(model.provider for model in catalogue.models)
    return AvailableKeys(platform=providers, own=providers, tier="enterprise")


def provider_config(agent: AgentConfig, report: StackReport) -> dict[str, Any]:
    """The agent's read-only field.

    ``mode``, ``stt``, ``llm`` and ``tts`` are the stack of the primary language (``null`` if there
    is none). ``languages`` has the stack of each locale that can be served, ``problems`` says why
    the others cannot, and ``warnings`` says what differs from the agent's own choices.
    """
    by_locale = {locale: stack.model_dump() for locale, stack in report.stacks.items()}
    return {
        **(by_locale.get(agent.language) or _NO_STACK),
        "languages": by_locale,
        "problems": {locale: problem.reason for locale, problem in report.problems.items()},
        "warnings": {locale: list(warnings) for locale, warnings in report.warnings.items()},
    }


def changed_choices(
    before: object, after: Mapping[str, Any], language: str
) -> Iterator[tuple[str, str, str | None, str | None]]:
    """Where two provider configurations choose differently: locale, channel, before and after.

    A choice is ``provider/model`` or ``provider/model/voice`` of the primary. ``before`` comes from
    a client and may be any value; parts in another shape count as no choice.

    Args:
        language: the locale of the stack outside ``languages``, for a configuration that has only
            the keys of the API spec (``mode``, ``stt``, ``llm``, ``tts``).
    """
    old, new = _primaries(before, language), _primaries(after, language)
    for locale, channel in sorted(old.keys() | new.keys()):
        if old.get((locale, channel)) != new.get((locale, channel)):
            yield locale, channel, old.get((locale, channel)), new.get((locale, channel))


def _primaries(config: object, language: str) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    by_locale = _members(_members(config).get("languages"))
    for locale, stack in (by_locale or {language: config}).items():
        for channel in ("stt", "llm", "tts"):
            choice = _members(_members(stack).get(channel))
            primary = _members(choice.get("primary", choice))
            parts = [primary.get(name) for name in ("provider", "model", "voice")]
            if any(parts):
                found[locale, channel] = "/".join(str(part) for part in parts if part)
    return found


def _members(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
