"""What a published version freezes, as one canonical JSON text. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    config: dict[str, Any]
    """``AgentConfig`` under its names on the wire; secrets in it are sealed."""
    provider_config: dict[str, Any]
    compiled_prompt: str

    @property
    def text(self) -> str:
        """The same bytes for the same content: sorted names, no blanks, UTF-8."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def read_snapshot(text: str) -> Snapshot:
    return Snapshot(**json.loads(text))


def digest_of(text: str) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()
