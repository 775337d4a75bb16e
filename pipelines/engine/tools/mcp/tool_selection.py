"""Which of the tools that a server lists a language model may be given. Pure.

A server is trusted no further than with its own tools: it must not fill the worker's memory or the
model's prompt, nor make the model's provider refuse the whole request.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pipelines.engine.tools.mcp.tool_text import in_short, plain

MOST_LISTED = 1_000
"""How many tools of a server are looked at, which takes about 5 ms."""
MOST_TOOLS = 64
"""Of one server. Models choose badly among more, and OpenAI takes 128 from an agent in all."""
LONGEST_NAME = 128
"""Characters of a tool's name on its server; by the specification of 2025-11-25, "Tools"."""
LONGEST_DESCRIPTION = 1_024
"""Characters, as the descriptions of an agent's own tools have. The rest is cut off."""
MOST_SCHEMA_BYTES = 64 * 1024
"""Of all schemas of one server. They are a part of every prompt: about 16,000 tokens."""
MOST_REASONS = 5
"""How many of the tools that are left out are named with the reason."""


@dataclass(frozen=True)
class ListedTool:
    """A tool as its server describes it."""

    name: str
    description: str
    parameters: dict[str, Any]
    """JSON Schema of the arguments."""


class ToolSelection:
    def __init__(self, allowed: Collection[str] | None) -> None:
        """
        Args:
            allowed: the server's names of the tools that are wanted; ``None``: all.
        """
        self._allowed = None if allowed is None else frozenset(allowed)
        self._not_seen = set(allowed or ())
        self._listed = 0
        self._schema_bytes = 0
        self._tools: dict[str, ListedTool] = {}
        self._reasons: list[str] = []
        self._left_out = 0

    @property
    def tools(self) -> list[ListedTool]:
        return list(self._tools.values())

    def take(self, definitions: Sequence[Any]) -> None:
        """Take what a server has sent in one page of its list."""
        looked_at = definitions[: MOST_LISTED - self._listed]
        self._listed += len(looked_at)
        for definition in looked_at:
            name = definition.get("name") if isinstance(definition, dict) else None
            if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
                self.leave_out("a tool", f"has no name of up to {LONGEST_NAME} characters")
                continue
            self._not_seen.discard(name)
            if name not in self._tools and (self._allowed is None or name in self._allowed):
                self._take(name, definition)

    def end(self) -> None:
        """Nothing more is listed: allowed tools that were not seen are left out."""
        where = f"first {MOST_LISTED:,} tools" if self._listed == MOST_LISTED else "list"
        for name in sorted(self._not_seen):
            self.leave_out(name, f"is not in the server's {where}")

    def leave_out(self, name: str, reason: str) -> None:
        """
        Args:
            reason: the end of a sentence that begins with the name.
        """
        self._left_out += 1
        if len(self._reasons) < MOST_REASONS:
            self._reasons.append(f"{plain(name)} {reason}")

    @property
    def left_out(self) -> str:
        """The tools that are left out, with the reasons, as a part of a sentence; may be empty."""
        others = self._left_out - len(self._reasons)
        return "; ".join([*self._reasons, *([f"{others} more"] if others else [])])

    def _take(self, name: str, definition: dict[str, Any]) -> None:
        schema = definition.get("inputSchema")
        try:
            size = len(json.dumps(schema, ensure_ascii=False, allow_nan=False).encode())
        except (ValueError, RecursionError):
            self.leave_out(name, "has an `inputSchema` that cannot be written as JSON")
            return
        if not isinstance(schema, dict):
            self.leave_out(name, "has no `inputSchema`")
        elif len(self._tools) == MOST_TOOLS:
            self.leave_out(name, f"comes after the first {MOST_TOOLS}")
        elif self._schema_bytes + size > MOST_SCHEMA_BYTES:
            self.leave_out(name, f"would make all schemas more than {MOST_SCHEMA_BYTES:,} bytes")
        else:
            self._schema_bytes += size
            texts = (definition.get("description"), definition.get("title"), name)
            described = next(text for text in texts if isinstance(text, str) and text)
            short = in_short(plain(described), LONGEST_DESCRIPTION)
            self._tools[name] = ListedTool(name, short, schema)
