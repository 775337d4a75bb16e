"""What comes of the tools of an MCP server, against a real HTTPS server."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from contracts.tool_bindings import Mcp
from outbound.client import guarded_client
from outbound.policy import OutboundPolicy
from pipelines.engine.tools.mcp.bound_server import BoundServer
from pipelines.engine.tools.mcp.endpoint import MOST_ANSWER_BYTES
from pipelines.engine.tools.mcp.messages import McpFault
from pipelines.webhooks.webhook_call import MOST_BYTES, ToolResult
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.mcp_server import FREE, McpServer, Odd, text

HERE = OutboundPolicy(("127.0.0.1/32",))
STREAM = "text/event-stream"
HEX = (("Content-Type", "text/event-stream; charset=hex"),)


@contextlib.asynccontextmanager
async def bound(
    directory: Path, server: McpServer | None = None, policy: OutboundPolicy = HERE, **fields: Any
) -> AsyncIterator[tuple[BoundServer, McpServer]]:
    served, trusting = self_signed_certificate(directory, "127.0.0.1")
    async with (
        (server or McpServer()).serving(served) as running,
        guarded_client(policy, tls=trusting, max_response_bytes=MOST_ANSWER_BYTES) as http,
    ):
        binding = Mcp.model_validate({"type": "mcp", "name": "crm", "url": running.url} | fields)
        client = BoundServer(binding, http, {"Authorization": "Bearer s3cr3t"}, {"s3cr3t"})
        try:
            yield client, running
        finally:
            await client.aclose()


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return FREE | {"name": name} | fields


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"not": schema}
    return schema


async def test_the_handshake_comes_first_and_the_session_is_ended(tmp_path: Path) -> None:
    async with bound(tmp_path) as (client, server):
        listing = await client.listed()
        assert [each.listed.name for each in listing.tools] == ["find.table"]
        assert listing.left_out == ""
    assert server.methods == ["initialize", "notifications/initialized", "tools/list"]
    assert all(each.headers["Authorization"] == "Bearer s3cr3t" for each in server.asked)
    assert server.ended == ["session-1"]


async def test_an_answer_in_a_stream_is_taken_before_the_stream_ends(tmp_path: Path) -> None:
    async with bound(tmp_path, McpServer(as_events=True)) as (client, server):
        assert len((await client.listed()).tools) == 1
        assert await client.call_tool("find.table", {}) == ToolResult("at seven")
    assert {"jsonrpc": "2.0", "id": "p", "result": {}} in server.replies
    assert any(reply.get("error", {}).get("code") == -32601 for reply in server.replies)


async def test_all_pages_are_listed(tmp_path: Path) -> None:
    tools = [tool(f"t{n}") for n in range(5)]
    async with bound(tmp_path, McpServer(tools=tools, page_size=2)) as (client, server):
        assert [each.listed.name for each in (await client.listed()).tools] == [
            each["name"] for each in tools
        ]
    assert [asked.params for asked in server.asked if asked.method == "tools/list"] == [
        {},
        {"cursor": "2"},
        {"cursor": "4"},
    ]


async def test_a_list_without_an_end_is_left_after_ten_pages(tmp_path: Path) -> None:
    tools = [tool(f"t{n}") for n in range(30)]
    async with bound(tmp_path, McpServer(tools=tools, page_size=1)) as (client, server):
        assert len((await client.listed()).tools) == 10
    assert server.methods.count("tools/list") == 10


async def test_only_allowed_tools_are_taken_and_missing_ones_named(tmp_path: Path) -> None:
    server = McpServer(tools=[tool("a"), tool("b"), tool("c")])
    async with bound(tmp_path, server, allowed_tools=["c", "a", "z"]) as (client, _):
        listing = await client.listed()
        assert [each.listed.name for each in listing.tools] == ["a", "c"]
        assert listing.left_out == "z is not in the server's list"


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (None, "has no `inputSchema`"),
        ({}, "does not describe an object"),
        ({"type": "object", "anyOf": [{}]}, "has `anyOf` at its top"),
        ({"type": "object", "properties": {"a": {"type": "teeth"}}}, "not a valid JSON Schema"),
        ({"type": "object", "properties": {"a": {"$ref": "file:///a"}}}, "own parts (#/…)"),
        ({"type": "object", "properties": {"a b": {}}}, "the property 'a b', which is no name"),
        ({"type": "object", "not": nested(300)}, "`not` at its top"),
        ({"type": "object", "properties": {"a": nested(300)}}, "64 arrays and objects inside"),
        ({"type": "object", "$schema": "https://example.com/own"}, "published draft"),
        ({"type": "object", "description": "x" * 40_000}, "at most 32768 bytes"),
        ({"type": "object", "default": 1e999}, "cannot be written as JSON"),
        ({"type": "object", "title": "\ud800"}, "cannot be written as JSON"),
    ],
)
async def test_a_tool_with_an_unusable_schema_is_left_out(
    tmp_path: Path, schema: Any, reason: str
) -> None:
    server = McpServer(tools=[tool("bad", inputSchema=schema), tool("good")])
    if schema is not None and "default" in schema:
        # Python writes no number that large.
        body = '{"jsonrpc": "2.0", "id": 2, "result": {"tools": [{"name": "bad", "inputSchema": '
        body += '{"type": "object", "default": 1e999}}, {"name": "good", "inputSchema": '
        body += '{"type": "object"}}]}}'
        server.odd["tools/list"] = Odd(body=body)
    async with bound(tmp_path, server) as (client, _):
        listing = await client.listed()
        assert [each.listed.name for each in listing.tools] == ["good"]
        assert listing.left_out.startswith("bad has ")
        assert reason in listing.left_out


@pytest.mark.parametrize(
    ("odd", "reason"),
    [
        (Odd(401), "HTTP 401"),
        (Odd(307, headers=(("Location", "https://127.0.0.1/"),)), "redirects are not followed"),
        (Odd(body="<html>"), "is not JSON"),
        (Odd(body="[" * 15_000), "is not JSON"),
        (Odd(body='{"a": [' + "[]," * 20_000 + "1]}"), "more than 20,000 values"),
        (Odd(body='{"result": NaN}'), "is not JSON"),
        (Odd(body="[]"), "is not a JSON-RPC message"),
        (Odd(body="<html>", content_type="text/html"), "it answered with text/html"),
        (Odd(202, body="", content_type="text/plain"), "it answered with text/plain"),
        (Odd(body='{"id": 99, "result": {}}'), "does not belong to the request"),
        (Odd(body='{"id": 2, "result": []}'), "its answer has no result"),
        (Odd(body='{"id": 2, "result": {"tools": {}}}'), "its list of tools is not a list"),
        (Odd(body='{"id": 2, "error": {"message": "no s3cr3t"}}'), "it answered: no ••••"),
        (Odd(body="x" * 300_000), "more than 262144 bytes"),
        (Odd(body=":\n" * 200_000, content_type=STREAM), "more than 262144 bytes"),
        (Odd(body="data: {}\n\n" * 1_100, content_type=STREAM), "more than 1,000 events"),
        (Odd(body="data: x\n\n", content_type=STREAM), "is not JSON"),
        (Odd(body="data: x\n\n", headers=HEX), "is not JSON"),
        (Odd(body=": nothing\n\n", content_type=STREAM), "ended without an answer"),
    ],
)
async def test_garbage_is_a_fault_with_a_reason(tmp_path: Path, odd: Odd, reason: str) -> None:
    async with bound(tmp_path, McpServer(odd={"tools/list": odd})) as (client, _):
        with pytest.raises(McpFault) as raised:
            await client.listed()
    assert reason in str(raised.value)


async def test_an_unknown_revision_of_the_protocol_is_refused(tmp_path: Path) -> None:
    async with bound(tmp_path, McpServer(version="2099-01-01")) as (client, server):
        with pytest.raises(McpFault, match="revision '2099-01-01' of the protocol"):
            await client.listed()
    assert "tools/list" not in server.methods


async def test_a_session_id_that_may_not_be_sent_is_refused(tmp_path: Path) -> None:
    body = '{"id": 1, "result": {"protocolVersion": "2025-06-18"}}'
    odd = Odd(body=body, headers=(("Mcp-Session-Id", "a b"),))
    async with bound(tmp_path, McpServer(odd={"initialize": odd})) as (client, _):
        with pytest.raises(McpFault, match="session id"):
            await client.listed()


async def test_a_server_that_hangs_is_given_up_in_time(tmp_path: Path) -> None:
    hangs = McpServer(odd={"tools/list": Odd(delay_seconds=30)})
    async with bound(tmp_path, hangs, timeout_seconds=0.5) as (client, _):
        began_at = time.monotonic()
        with pytest.raises(McpFault, match=r"no list of tools within 0\.5 s"):
            await client.listed()
        assert time.monotonic() - began_at < 5


async def test_a_private_address_is_refused(tmp_path: Path) -> None:
    async with bound(tmp_path, policy=OutboundPolicy()) as (client, server):
        with pytest.raises(McpFault):
            await client.listed()
    assert server.asked == []


async def test_a_session_that_the_server_ended_is_opened_once_more(tmp_path: Path) -> None:
    async with bound(tmp_path) as (client, server):
        await client.listed()
        server.forget_sessions()
        results = await asyncio.gather(*(client.call_tool("find.table", {}) for _ in range(3)))
        assert results == [ToolResult("at seven")] * 3
        assert server.methods.count("initialize") == 2
    assert server.ended == ["session-2"]


async def test_a_lost_reply_to_the_server_sends_no_tool_twice(tmp_path: Path) -> None:
    async with bound(tmp_path, McpServer(as_events=True, reply_status=404)) as (client, server):
        assert await client.call_tool("find.table", {}) == ToolResult("at seven")
    assert server.methods.count("tools/call") == 1


async def test_a_server_that_ends_every_session_is_a_failure(tmp_path: Path) -> None:
    async with bound(tmp_path) as (client, server):
        await client.listed()
        server.odd["tools/call"] = Odd(404)
        result = await client.call_tool("find.table", {})
        assert result.is_error
        assert "HTTP 404" in (result.text or "")
        assert server.methods.count("tools/call") == 2
        del server.odd["tools/call"]
        assert await client.call_tool("find.table", {}) == ToolResult("at seven")


async def test_a_slow_tool_is_given_up_and_the_server_told(tmp_path: Path) -> None:
    slow = McpServer(odd={"tools/call": Odd(delay_seconds=30)})
    async with bound(tmp_path, slow, timeout_seconds=0.5) as (client, server):
        await client.listed()
        result = await client.call_tool("find.table", {})
        assert result == ToolResult("The tool failed: no answer within 0.5 s", is_error=True)
        await server.until_asked("notifications/cancelled")
        assert server.asked[-1].params == {"requestId": 3}


async def test_a_long_answer_is_cut_after_16_kb(tmp_path: Path) -> None:
    long = McpServer(result=lambda name, arguments: text("ä" * 20_000))
    async with bound(tmp_path, long) as (client, _):
        result = await client.call_tool("find.table", {})
    assert result.text == "ä" * (MOST_BYTES // 2) + " … (cut after 16 KB)"


async def test_a_secret_that_the_server_repeats_is_masked(tmp_path: Path) -> None:
    # The cut would leave a half of it.
    echo = McpServer(result=lambda name, arguments: text("x" * (MOST_BYTES - 8) + "\\s3cr3t"))
    async with bound(tmp_path, echo) as (client, _):
        result = await client.call_tool("find.table", {})
    assert "s3c" not in (result.text or "")


async def test_a_goodbye_that_hangs_is_given_up(tmp_path: Path) -> None:
    async with bound(tmp_path) as (client, server):
        await client.listed()
        server.goodbye_seconds = 30.0
        began_at = time.monotonic()
        await client.aclose()
        assert time.monotonic() - began_at < 5
