"""What is attacked, and what its attackers know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Target:
    """The installation, and the hostile tenant's own agent and keys there."""

    url: str
    agent_id: str
    secret_key: str
    publishable_key: str
    worker_pids: list[int]

    @property
    def secret(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret_key}"}

    @property
    def publishable(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.publishable_key}"}

    @property
    def call_body(self) -> dict[str, Any]:
        return {
            "agent_id": self.agent_id,
            "participants": [{"transport": "webrtc", "identity": "x"}],
        }
