"""What a reply to a message consists of, whoever makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class AgentReply:
    text: str
    ends_chat: bool = False
    collected: Mapping[str, str] = field(default_factory=dict)
    """All slot values so far, by name; only the playbook engine collects any."""
