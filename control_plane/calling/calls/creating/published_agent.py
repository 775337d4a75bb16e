"""A published version of an agent, read once and kept: it never changes."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from control_plane.building.agents.publishing.snapshot import read_snapshot
from control_plane.building.agents.repository import find_version
from pipelines.texts.agent_texts import needed_variables, texts_of
from pipelines.texts.prompt import described, written_prompt

SHELF_VERSIONS = 500


@dataclass(frozen=True)
class PublishedAgent:
    config: AgentConfig
    described: AgentConfig
    """With a persona and a playbook in any case (``pipelines.texts.prompt.described``)."""
    needed_variables: Mapping[str, str]
    """Each with the first text that needs it."""
    constant_prompt: str | None
    """The prompt of an agent in whose texts there is nothing to fill in."""

    @classmethod
    def read(cls, snapshot: str) -> PublishedAgent:
        """Takes some milliseconds of the processor."""
        config = AgentConfig.model_validate(read_snapshot(snapshot).config)
        agent = described(config)
        is_constant = not any("{" in text for _, text in texts_of(agent))
        return cls(
            config,
            agent,
            needed_variables(agent),
            written_prompt(agent) if is_constant else None,
        )


class PublishedAgents:
    """Keeps the versions that were called last. One for each process.

    They are known by the digest of their text, so that a version whose secrets were sealed anew is
    read anew.
    """

    def __init__(self, size: int = SHELF_VERSIONS) -> None:
        self._size = size
        self._kept: OrderedDict[str, PublishedAgent] = OrderedDict()

    async def version(
        self, session: AsyncSession, tenant_id: UUID, agent_id: UUID, version: int, digest: str
    ) -> PublishedAgent:
        """The version, which ``session`` has found to exist with that digest."""
        if digest not in self._kept:
            found = await find_version(session, tenant_id, agent_id, version)
            assert found is not None, "versions are never deleted"
            self._kept[digest] = await asyncio.to_thread(PublishedAgent.read, found.snapshot)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        self._kept.move_to_end(digest)
        return self._kept[digest]
