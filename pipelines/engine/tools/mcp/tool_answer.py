"""What a language model reads of the answer to ``tools/call``. Pure.

Source: modelcontextprotocol.io/specification/2025-06-18/server/tools, "Tool Result".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pipelines.engine.tools.mcp.tool_text import plain
from pipelines.webhooks.webhook_call import ToolResult

_KINDS = ("image", "audio", "resource", "resource_link")


def tool_result(answer: Mapping[str, Any]) -> ToolResult:
    """The texts of the answer, with a word for each part of another kind. Without texts its
    structured content, as JSON."""
    parts = list(_parts(answer.get("content")))
    structured = answer.get("structuredContent")
    if structured is not None and all(text is None for text, _ in parts):
        shown = _as_json(structured)
    else:
        shown = "\n".join(word if text is None else text for text, word in parts).strip()
    is_error = answer.get("isError") is True
    return ToolResult(plain(shown) or ("failed" if is_error else "done") + ", no content", is_error)


def _as_json(structured: Any) -> str:
    try:
        return json.dumps(structured, ensure_ascii=False)
    except RecursionError:
        return "[content]"


def _parts(content: Any) -> Iterator[tuple[str | None, str]]:
    """The text of each part, or ``None`` and a word for its kind."""
    for part in content if isinstance(content, list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        text = part.get("text") if kind == "text" else None
        word = next((known for known in _KINDS if known == kind), "content")
        yield text if isinstance(text, str) else None, f"[{word}]"
