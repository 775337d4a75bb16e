"""The agent of a chat, as it was when the chat began."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedChannel
from pipelines.stack import LOCAL


@dataclass(frozen=True)
class ChatAgent:
    tenant_id: UUID
    config: AgentConfig
    """Its tools' headers are sealed."""
    compiled_prompt: str
    """With the variables filled in."""
    locale: str
    llm: ResolvedChannel
    variables: Mapping[str, object]
    began_on: date
    """The day that the playbook counts "tomorrow" from. It stays the same until the chat ends."""
    runs_tools: bool

    @property
    def has_playbook_engine(self) -> bool:
        return self.llm.primary.provider == LOCAL
