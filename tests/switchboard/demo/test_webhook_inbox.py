"""The demo receives webhooks, and believes only those that are signed."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from uuid import UUID

import httpx2
import pytest

from control_plane.notifying.webhooks.requests import DeliveryRequest, delivery_request
from control_plane.notifying.webhooks.samples import sample_data
from switchboard.demo import webhook_inbox as inboxes
from switchboard.demo.webhook_inbox import HOST, webhook_inbox, webhooks_may_reach
from switchboard_client.webhooks import SignatureInvalid

CALL = sample_data("call.completed", UUID(int=1), UUID(int=2))["call_id"]


def request(secret: str, event: str = "call.completed") -> DeliveryRequest:
    now = datetime.now(UTC)
    return delivery_request(
        event=event,
        event_id=UUID(int=1),
        origin="api",
        occurred_at=now,
        data=sample_data(event, UUID(int=1), UUID(int=2)),
        redaction_level="none",
        secrets=[secret],
        now=now,
    )


async def test_the_event_of_the_call_is_found_among_others() -> None:
    async with webhook_inbox() as inbox, httpx2.AsyncClient() as http:
        for event in ("agent.published", "call.completed"):
            sent = request(inbox.secret, event)
            answer = await http.post(inbox.url, content=sent.body, headers=sent.headers)
            assert answer.status_code == 204
        found = await inbox.completed(CALL)
    assert found is not None
    assert found.signature == sent.headers["X-Svc-Signature"]
    assert found.event.model_dump(mode="json")["data"]["call_id"] == CALL
    assert json.loads(sent.body)["data"]["summary"] == found.event.data.summary


async def test_what_somebody_else_has_signed_is_refused() -> None:
    async with webhook_inbox() as inbox, httpx2.AsyncClient() as http:
        sent = request("the secret of somebody else")
        await http.post(inbox.url, content=sent.body, headers=sent.headers)
        with pytest.raises(SignatureInvalid):
            await inbox.completed(CALL)


async def test_nothing_is_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inboxes, "ARRIVES_WITHIN_SECONDS", 0.01)
    async with webhook_inbox() as inbox:
        assert await inbox.completed(CALL) is None


def test_only_the_inbox_is_opened_and_only_for_what_the_demo_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS", "10.0.0.0/8")
    monkeypatch.delenv("SWITCHBOARD_ENVIRONMENT", raising=False)
    with webhooks_may_reach(HOST):
        allowed = os.environ["SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS"]
        assert allowed == f"10.0.0.0/8,{HOST}/32"
        assert os.environ["SWITCHBOARD_ENVIRONMENT"] == "test"
    assert os.environ["SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS"] == "10.0.0.0/8"
    assert "SWITCHBOARD_ENVIRONMENT" not in os.environ
