"""A server fills neither the memory of a worker nor a model's prompt."""

from __future__ import annotations

from typing import Any

from pipelines.engine.tools.mcp.tool_selection import (
    LONGEST_DESCRIPTION,
    MOST_SCHEMA_BYTES,
    MOST_TOOLS,
    ToolSelection,
)

EMPTY = {"type": "object"}


def tool(name: Any, **fields: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": EMPTY} | fields


def selected(*pages: list[Any]) -> ToolSelection:
    selection = ToolSelection(None)
    for page in pages:
        selection.take(page)
    selection.end()
    return selection


def test_tools_beyond_the_most_are_left_out_and_five_of_them_named() -> None:
    found = selected([tool(f"t{n}") for n in range(40)], [tool(f"t{n}") for n in range(40, 80)])
    assert [each.name for each in found.tools] == [f"t{n}" for n in range(MOST_TOOLS)]
    assert found.left_out.startswith("t64 comes after the first 64; t65 ")
    assert found.left_out.endswith("; 11 more")


def test_schemas_share_a_limit() -> None:
    large = {"type": "object", "description": "x" * (MOST_SCHEMA_BYTES // 3)}
    found = selected([tool(f"t{n}", inputSchema=large) for n in range(3)] + [tool("small")])
    assert [each.name for each in found.tools] == ["t0", "t1", "small"]
    assert "would make all schemas more than 65,536 bytes" in found.left_out


def test_a_long_description_is_cut() -> None:
    [found] = selected([tool("t", description="x" * 5_000)]).tools
    assert len(found.description) == LONGEST_DESCRIPTION


def test_a_tool_without_a_description_has_its_title_or_its_name() -> None:
    texts = [tool("a", title="A title"), tool("b", description=7), tool("c", description="\0")]
    assert [each.description for each in selected(texts).tools] == ["A title", "b", ""]


def test_1000_tools_of_a_server_are_looked_at() -> None:
    selection = ToolSelection(["t999", "t1000"])
    for begin in range(0, 2_000, 300):
        selection.take([tool(f"t{n}") for n in range(begin, begin + 300)])
    selection.end()
    assert [each.name for each in selection.tools] == ["t999"]
    assert selection.left_out == "t1000 is not in the server's first 1,000 tools"


def test_garbage_in_a_list_is_left_out() -> None:
    found = selected([7, None, [], {}, tool(7), tool(""), tool("x" * 129), tool("good")])
    assert [each.name for each in found.tools] == ["good"]
    assert found.left_out.endswith("; 2 more")


def test_a_tool_that_is_listed_twice_is_taken_once() -> None:
    found = selected([tool("a", description="first")], [tool("a", description="second")])
    assert [each.description for each in found.tools] == ["first"]
    assert found.left_out == ""
