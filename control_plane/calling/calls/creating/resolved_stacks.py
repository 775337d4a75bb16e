"""The stacks that calls of published versions run, kept for each catalogue edition and key set."""

from __future__ import annotations

from cachetools import LRUCache

from contracts.call_plan import ResolvedStack
from control_plane.building.catalogue.edition import CatalogueEdition
from control_plane.calling.calls.creating.published_agent import PublishedAgent
from pipelines.stack import AvailableKeys, StackProblem, resolve_stack, still_runs

MAX_STACKS = 1000


class ResolvedStacks:
    """Keeps the stacks of the versions that were called last. One for each process."""

    def __init__(self, size: int = MAX_STACKS) -> None:
        self._kept: LRUCache[tuple[str, str, int, AvailableKeys], ResolvedStack | StackProblem] = (
            LRUCache(size)
        )

    def resolve(
        self, digest: str, agent: PublishedAgent, catalogue: CatalogueEdition, keys: AvailableKeys
    ) -> ResolvedStack | StackProblem:
        """
        Args:
            digest: of the version that ``agent`` is.
        """
        key = (digest, agent.config.language, catalogue.number, keys)
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = _stack_of(agent, catalogue, keys)
        return found


def _stack_of(
    agent: PublishedAgent, catalogue: CatalogueEdition, keys: AvailableKeys
) -> ResolvedStack | StackProblem:
    """The frozen stack as long as all of it can run; otherwise what can be run instead, if any."""
    config = agent.config
    frozen = agent.stacks.get(config.language)
    if frozen is not None and still_runs(frozen, config, catalogue.stacks, keys, config.language):
        return frozen
    resolved = resolve_stack(config, catalogue.stacks, keys, config.language)
    return resolved if isinstance(resolved, StackProblem) else resolved.stack
