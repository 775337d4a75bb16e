"""What comes of a tool's HTTP request, against a real HTTPS server."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest

from outbound.client import guarded_client
from outbound.policy import OutboundPolicy
from pipelines.webhooks.webhook_call import MASK, MOST_BYTES, ToolResult, call_webhook
from pipelines.webhooks.webhook_request import WebhookRequest
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.tenant_api import Reply, TenantApi

HERE = OutboundPolicy(("127.0.0.1/32",))


@contextlib.asynccontextmanager
async def serving(
    directory: Path, *replies: Reply, policy: OutboundPolicy = HERE
) -> AsyncIterator[tuple[TenantApi, httpx2.AsyncClient]]:
    served, trusting = self_signed_certificate(directory, "127.0.0.1")
    async with (
        TenantApi(replies).serving(served) as api,
        guarded_client(policy, tls=trusting) as http,
    ):
        yield api, http


def asking(api: TenantApi, method: str = "POST") -> WebhookRequest:
    return WebhookRequest(method, f"{api.url}/book", {"Authorization": "Bearer s3cr3t"}, b"{}")


async def test_the_model_reads_the_answer(tmp_path: Path) -> None:
    async with serving(tmp_path, Reply('{"free": true}')) as (api, http):
        assert await call_webhook(http, asking(api), 5) == ToolResult('{"free": true}')
    assert api.asked[0].headers["Authorization"] == "Bearer s3cr3t"


async def test_an_empty_answer_says_that_it_is_done(tmp_path: Path) -> None:
    async with serving(tmp_path, Reply("", 204)) as (api, http):
        assert await call_webhook(http, asking(api), 5) == ToolResult("done (HTTP 204, no content)")


async def test_a_long_answer_is_cut_after_16_kb(tmp_path: Path) -> None:
    async with serving(tmp_path, Reply("x" * 100_000)) as (api, http):
        result = await call_webhook(http, asking(api), 5)
    assert result == ToolResult("x" * MOST_BYTES + " … (cut after 16 KB)")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("no such day", 404), "HTTP 404: no such day"),
        (Reply("", 302), "HTTP 302: redirects are not followed"),
    ],
)
async def test_another_status_is_a_failure(tmp_path: Path, reply: Reply, reason: str) -> None:
    async with serving(tmp_path, reply) as (api, http):
        result = await call_webhook(http, asking(api), 5)
    assert result == ToolResult(f"The tool failed: {reason}", is_error=True)


async def test_a_slow_server_is_given_up_in_time(tmp_path: Path) -> None:
    async with serving(tmp_path, Reply(delay_seconds=30)) as (api, http):
        began_at = time.monotonic()
        result = await call_webhook(http, asking(api, "GET"), 0.3)
        assert time.monotonic() - began_at < 3
    assert result == ToolResult("The tool failed: no answer within 0.3 s", is_error=True)


@pytest.mark.parametrize("fault", [Reply("busy", 503), Reply(hangs_up=True)])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_what_is_idempotent_is_sent_twice(tmp_path: Path, fault: Reply, method: str) -> None:
    async with serving(tmp_path, fault, Reply("fine")) as (api, http):
        assert await call_webhook(http, asking(api, method), 5) == ToolResult("fine")
    assert len(api.asked) == 2


@pytest.mark.parametrize("fault", [Reply("busy", 503), Reply(hangs_up=True)])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
async def test_anything_else_is_sent_once(tmp_path: Path, fault: Reply, method: str) -> None:
    async with serving(tmp_path, fault, Reply("fine")) as (api, http):
        assert (await call_webhook(http, asking(api, method), 5)).is_error
    assert len(api.asked) == 1


async def test_a_private_address_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, policy=OutboundPolicy()) as (api, http):
        result = await call_webhook(http, asking(api, "GET"), 5)
    assert result.is_error
    assert api.asked == []


async def test_a_secret_that_the_server_repeats_is_masked(tmp_path: Path) -> None:
    echo = Reply('{"you sent": "Bearer s3cr3t", "key": "s3cr3t"}', 401)
    async with serving(tmp_path, echo) as (api, http):
        result = await call_webhook(http, asking(api), 5, {"Bearer s3cr3t", "s3cr3t"})
    assert "s3cr3t" not in result.text
    assert MASK in result.text
