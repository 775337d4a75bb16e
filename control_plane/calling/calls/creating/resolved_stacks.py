"""Stacks of the versions that were called last, resolved once for an edition and a set of keys."""

from __future__ import annotations

from collections import OrderedDict

from contracts.agent_config import AgentConfig
from control_plane.building.catalogue.edition import CatalogueEdition
from pipelines.stack import AvailableKeys, StackChoice, StackProblem, resolve_stack

SHELF_STACKS = 1000

_Key = tuple[str, int, AvailableKeys]


class ResolvedStacks:
    """``resolve_stack`` of published agents in their own language, remembered."""

    def __init__(self, size: int = SHELF_STACKS) -> None:
        self._size = size
        self._kept: OrderedDict[_Key, StackChoice | StackProblem] = OrderedDict()

    def resolve(
        self, digest: str, agent: AgentConfig, catalogue: CatalogueEdition, keys: AvailableKeys
    ) -> StackChoice | StackProblem:
        """
        Args:
            digest: of the version that ``agent`` is.
        """
        key = (digest, catalogue.number, keys)
        found = self._kept.get(key)
        if found is None:
            found = resolve_stack(agent, catalogue.stacks, keys, agent.language)
            self._kept[key] = found
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return found
