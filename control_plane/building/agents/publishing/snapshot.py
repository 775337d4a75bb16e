"""Everything that a published version freezes, as one canonical JSON text. Pure."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Snapshot:
    config: dict[str, Any]
    """``AgentConfig`` under its names on the wire; secrets in it are sealed."""
    provider_config: dict[str, Any]
    compiled_prompt: str
    """The prompt of a call without variables."""
    prompt_template: dict[str, Any] | None = None
    """``PromptTemplate`` as JSON, which a call's variables are filled into; ``None`` if the prompt
    is the same for every call."""
    knowledge_pages: list[dict[str, Any]] | None = None
    """The web pages of the knowledge base (``KnowledgePage``), with the texts that the prompt has;
    ``None`` if there are none."""

    @property
    def text(self) -> str:
        """The same content always gives the same bytes: sorted names, no spaces, UTF-8."""
        content = asdict(self)
        for name in ("prompt_template", "knowledge_pages"):
            if content[name] is None:
                del content[name]
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def read_snapshot(text: str) -> Snapshot:
    """Parts that a later release has added are ignored."""
    frozen = json.loads(text)
    known = {part.name for part in fields(Snapshot)}
    return Snapshot(**{name: value for name, value in frozen.items() if name in known})


def digest_of(text: str) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(text.encode()).hexdigest()
