"""What a language model reads of a tool's answer."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.engine.tools.mcp.tool_answer import tool_result
from pipelines.webhooks.webhook_call import ToolResult

IMAGE = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}


def said(text: Any) -> dict[str, Any]:
    return {"type": "text", "text": text}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"content": [said("one"), said("two")]}, "one\ntwo"),
        ({"content": [said("a chart:"), IMAGE]}, "a chart:\n[image]"),
        ({"content": [IMAGE, {"type": "audio"}]}, "[image]\n[audio]"),
        ({"content": [{"type": "resource", "resource": {"text": "x"}}]}, "[resource]"),
        ({"content": [{"type": "resource_link", "uri": "file:///a"}]}, "[resource_link]"),
        ({"content": [{"type": ["odd"]}, 7, said(3)]}, "[content]\n[content]\n[content]"),
        ({"content": [], "structuredContent": {"free": ["ä"]}}, '{"free": ["ä"]}'),
        ({"content": [IMAGE], "structuredContent": {"free": 1}}, '{"free": 1}'),
        ({"content": [said("at 7")], "structuredContent": {"free": 1}}, "at 7"),
        ({"content": [said("a\0b\ud800")]}, "ab?"),
        ({"content": "garbage"}, "done, no content"),
        ({}, "done, no content"),
    ],
)
def test_texts_come_before_structured_content(answer: dict[str, Any], text: str) -> None:
    assert tool_result(answer) == ToolResult(text)


def test_an_error_is_one_with_and_without_a_text() -> None:
    assert tool_result({"content": [said("closed")], "isError": True}) == ToolResult("closed", True)
    assert tool_result({"isError": True}) == ToolResult("failed, no content", True)
