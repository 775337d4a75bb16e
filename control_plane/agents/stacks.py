"""Which stack serves an agent in each of its languages, and what stands in the way. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedStack
from pipelines.stack import AvailableKeys, StackCatalogue, StackProblem, resolve_stack


@dataclass(frozen=True)
class StackReport:
    """``stacks`` by locale, the agent's primary language first; ``problems`` by locale."""

    stacks: dict[str, ResolvedStack]
    problems: dict[str, StackProblem]

    @property
    def blockers(self) -> list[str]:
        return [f"{locale}: {problem.reason}" for locale, problem in self.problems.items()]


def report_stacks(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> StackReport:
    """Resolve every locale of ``agent`` with the ``keys`` at hand."""
    stacks: dict[str, ResolvedStack] = {}
    problems: dict[str, StackProblem] = {}
    for locale in dict.fromkeys((agent.language, *agent.languages)):
        resolved = resolve_stack(agent, catalogue, keys, locale)
        if isinstance(resolved, StackProblem):
            problems[locale] = resolved
        else:
            stacks[locale] = resolved.stack
    return StackReport(stacks, problems)


def every_key(catalogue: StackCatalogue) -> AvailableKeys:
    """As if the key of every provider of the catalogue were set."""
    return AvailableKeys(platform=frozenset(model.provider for model in catalogue.models))


def provider_config(agent: AgentConfig, report: StackReport) -> dict[str, Any]:
    """The agent's read-only field: the primary language's stack, and every locale's."""
    by_locale = {locale: stack.model_dump() for locale, stack in report.stacks.items()}
    primary = by_locale.get(agent.language) or {"stt": None, "llm": None, "tts": None}
    return {"mode": "pipeline", **primary, "languages": by_locale}
