"""What happened reaches every endpoint that asked for it: signed, tried again, written down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text

from control_plane.notifying.webhooks.models import Webhook
from control_plane.notifying.webhooks.tasks import delete_expired, send_alert
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_resources
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.notifying.webhooks.conftest import (
    SECRET,
    Deliver,
    deliveries,
    publish,
    register,
)
from tests.control_plane.platform.mail.test_mailer import Mailbox
from tests.stand_ins.webhook_receiver import WebhookReceiver


async def test_an_event_is_delivered_once_and_signed(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    webhook_id = await register(tenant, receiver.url, redaction_level="none")
    await publish(database, tenant)
    await deliver()
    await deliver()
    [request] = receiver.received
    assert request.is_signed_with(SECRET)
    assert request.path == "/hooks"
    assert request.headers["x-svc-event"] == "agent.published"
    document = request.document
    assert set(document) == {"event", "type", "timestamp", "data"}
    assert document["event"] == document["type"] == "agent.published"
    assert set(document["data"]) == {
        *("notification_id", "tenant_id", "event_category", "title", "message", "metadata"),
    }
    assert document["data"]["message"] == "Version 3 of Mia is live; ask +1 415 555 0100."
    [delivery] = await deliveries(tenant, webhook_id)
    assert (delivery["status"], delivery["tries"]) == ("delivered", 1)
    assert delivery["occurred_at"] == document["timestamp"]


async def test_other_tenants_and_other_events_are_not_told(
    tenant: TenantClient,
    other_tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    deliver: Deliver,
) -> None:
    await register(tenant, receiver.url, events=["call.failed", "custom.alert"])
    await register(other_tenant, receiver.url)
    await publish(database, tenant)
    await deliver()
    assert receiver.received == []


async def test_the_balance_is_told_only_where_it_is_preferred(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    await register(tenant, receiver.url, events=["billing.low_balance"])
    async with database.system_session() as session:
        session.add(OutboxEvent(tenant_id=tenant.tenant_id, event="billing.low_balance", data={}))
    await deliver()
    assert receiver.received == []


async def test_five_tries_are_made_and_each_is_a_row(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    receiver.statuses, receiver.answer = [500, 404, 302, 503], "x" * 5000
    receiver.location = receiver.url
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await deliver()
    assert len(receiver.received) == 5
    assert len({request.document["timestamp"] for request in receiver.received}) == 1
    assert len({request.headers["webhook-id"] for request in receiver.received}) == 1
    assert len({request.headers["x-svc-timestamp"] for request in receiver.received}) > 1
    [delivery] = await deliveries(tenant, webhook_id, "?status=failed")
    shown = (await tenant.get(f"/v1/webhooks/{webhook_id}/deliveries/{delivery['id']}")).json()
    assert [each["status_code"] for each in shown["answers"]] == [500, 404, 302, 503, 503]
    assert [each["number"] for each in shown["answers"]] == [1, 2, 3, 4, 5]
    assert "redirect" in shown["answers"][2]["error"]
    assert len(shown["answers"][0]["answer"]) == 4096
    assert shown["request"]["body"].encode() == receiver.received[0].body
    details = (await tenant.get(f"/v1/webhooks/{webhook_id}")).json()
    assert details["failing_since"] is not None


async def test_a_delivery_whose_event_cannot_be_put_together_is_shown_without_its_request(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    webhook_id = await register(tenant, receiver.url)
    async with database.system_session() as session:
        session.add(
            OutboxEvent(
                id=uuid4(),
                tenant_id=tenant.tenant_id,
                event="call.completed",
                data={"call_id": "none"},
            )
        )
    await deliver()
    [delivery] = await deliveries(tenant, webhook_id)
    shown = await tenant.get(f"/v1/webhooks/{webhook_id}/deliveries/{delivery['id']}")
    assert shown.status_code == 200, shown.text
    assert shown.json()["request"] is None
    reasons = {answer["error"] for answer in shown.json()["answers"]}
    assert reasons == {"The event could not be put together. The operator's log says why."}


@pytest.mark.parametrize("fault", ["resets", "hangs"])
async def test_an_endpoint_that_gives_no_answer_is_tried_again(
    fault: str,
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    deliver: Deliver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("control_plane.notifying.webhooks.delivering.sending.DEADLINE_SECONDS", 0.2)
    setattr(receiver, fault, True)
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await deliver()
    [delivery] = await deliveries(tenant, webhook_id)
    assert (delivery["status"], delivery["tries"]) == ("failed", 5)
    shown = (await tenant.get(f"/v1/webhooks/{webhook_id}/deliveries/{delivery['id']}")).json()
    assert {each["status_code"] for each in shown["answers"]} == {None}
    words = "broke" if fault == "resets" else "No answer came within"
    assert all(words in each["error"] for each in shown["answers"])


async def test_one_alert_an_hour_says_why_and_how_to_replay(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    deliver: Deliver,
    settings: ControlPlaneSettings,
) -> None:
    receiver.statuses = [500]
    webhook_id = await register(tenant, receiver.url, alert_email="Ops@example.com")
    for _ in range(2):
        await publish(database, tenant)
        await deliver()
    async with database.system_session() as session:
        jobs = (
            await session.execute(
                text(
                    "SELECT task_name, args FROM procrastinate_jobs"
                    " WHERE task_name = 'webhooks.send_alert'"
                )
            )
        ).all()
    [(_, arguments)] = jobs
    await _run_alert(database, settings, arguments["delivery_id"])
    message = message_from_bytes(_only_file(settings.mail_outbox_dir))
    assert message["To"] == "ops@example.com"
    content = message.get_payload()
    assert receiver.url in content
    assert "The answer was 500" in content
    assert f"/v1/webhooks/{webhook_id}/deliveries/{arguments['delivery_id']}/replay" in content


async def test_an_alert_that_is_refused_is_mailed_later(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    deliver: Deliver,
    mailbox: Mailbox,
    with_smtp: ControlPlaneSettings,
    with_refusing_smtp: ControlPlaneSettings,
    run_jobs: Callable[[ControlPlaneSettings], Awaitable[None]],
) -> None:
    receiver.statuses = [500]
    await register(tenant, receiver.url, alert_email="ops@example.com")
    await publish(database, tenant)
    await deliver()
    for _ in range(2):
        await run_jobs(with_refusing_smtp)
    assert mailbox.messages == []
    for _ in range(2):
        await run_jobs(with_smtp)
    assert [mail["To"] for mail in mailbox.messages] == ["ops@example.com"]


def _only_file(folder: Path) -> bytes:
    [file] = folder.iterdir()
    return file.read_bytes()


async def _run_alert(database: Database, settings: ControlPlaneSettings, delivery_id: str) -> None:
    context = SimpleNamespace(additional_context=job_resources(database, settings))
    await send_alert.func(context, delivery_id=delivery_id)


async def test_a_failed_delivery_can_be_replayed(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    receiver.statuses = [500, 500, 500, 500, 500, 200]
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await deliver()
    [delivery] = await deliveries(tenant, webhook_id)
    path = f"/v1/webhooks/{webhook_id}/deliveries/{delivery['id']}"
    assert (await tenant.post(f"{path}/replay")).json() == {
        "status": "queued",
        "id": delivery["id"],
    }
    again = await tenant.post(f"{path}/replay")
    assert (again.status_code, again.json()["code"]) == (409, "delivery_under_way")
    await deliver()
    [delivery] = await deliveries(tenant, webhook_id, "?status=delivered")
    assert delivery["tries"] == 6
    assert len({request.headers["webhook-id"] for request in receiver.received}) == 1
    assert (await tenant.get(f"/v1/webhooks/{webhook_id}")).json()["failing_since"] is None


async def test_a_span_replays_what_failed_or_everything(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    receiver.statuses = [500, 500, 500, 500, 500, 200]
    webhook_id = await register(tenant, receiver.url)
    for _ in range(2):
        await publish(database, tenant)
        await deliver()
    now = datetime.now(UTC)
    span = {
        "from": (now - timedelta(hours=1)).isoformat(),
        "to": (now + timedelta(hours=1)).isoformat(),
    }
    path = f"/v1/webhooks/{webhook_id}/replay"
    queued = {"status": "queued", "count": 1, "next_from": None}
    assert (await tenant.post(path, span)).json() == queued
    await deliver()
    assert (await tenant.post(path, span)).json()["count"] == 0
    assert (await tenant.post(path, span | {"only_failed": False})).json()["count"] == 2
    await deliver()
    assert len(receiver.received) == 9


async def test_a_long_span_is_replayed_to_its_end_in_several_requests(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    deliver: Deliver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("control_plane.notifying.webhooks.delivery_log.repository.MOST_REPLAYED", 2)
    webhook_id = await register(tenant, receiver.url)
    for number in range(5):
        await publish(database, tenant, f"Number {number}")
    await deliver()
    receiver.received.clear()
    now = datetime.now(UTC)
    span = {
        "from": (now - timedelta(hours=1)).isoformat(),
        "to": (now + timedelta(hours=1)).isoformat(),
        "only_failed": False,
    }
    counts = []
    while span["from"] is not None:
        queued = (await tenant.post(f"/v1/webhooks/{webhook_id}/replay", span)).json()
        await deliver()
        counts.append(queued["count"])
        span["from"] = queued["next_from"]
    assert counts == [2, 2, 1]
    titles = [request.document["data"]["title"] for request in receiver.received]
    assert sorted(titles) == [f"Number {number}" for number in range(5)]


async def test_events_of_one_moment_are_replayed_together(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    deliver: Deliver,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("control_plane.notifying.webhooks.delivery_log.repository.MOST_REPLAYED", 2)
    webhook_id = await register(tenant, receiver.url)
    for _ in range(4):
        await publish(database, tenant)
    await deliver()
    moment = datetime.now(UTC)
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE webhook_deliveries SET occurred_at = :moment"), {"moment": moment}
        )
    span = {
        "from": moment.isoformat(),
        "to": (moment + timedelta(hours=1)).isoformat(),
        "only_failed": False,
    }
    queued = (await tenant.post(f"/v1/webhooks/{webhook_id}/replay", span)).json()
    assert (queued["count"], queued["next_from"]) == (4, None)


async def test_what_was_erased_is_not_delivered_any_more(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    receiver.statuses = [500]
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await deliver()
    async with database.system_session() as session:
        await session.execute(text("DELETE FROM outbox_events"))
    [delivery] = await deliveries(tenant, webhook_id)
    path = f"/v1/webhooks/{webhook_id}/deliveries/{delivery['id']}"
    assert (await tenant.get(path)).json()["request"] is None
    refused = await tenant.post(f"{path}/replay")
    assert (refused.status_code, refused.json()["code"]) == (409, "delivery_expired")


async def test_a_rotated_secret_signs_beside_the_new_one(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    webhook_id = await register(tenant, receiver.url)
    rotated = await tenant.post(
        f"/v1/webhooks/{webhook_id}/rotate-secret", {"secret": "the new secret of the tests"}
    )
    assert rotated.status_code == 200, rotated.text
    await publish(database, tenant)
    await deliver()
    [request] = receiver.received
    assert len(request.headers["webhook-signature"].split(" ")) == 2
    assert request.is_signed_with("the new secret of the tests")


async def test_a_test_sends_a_signed_sample_and_shows_the_answer(
    tenant: TenantClient, receiver: WebhookReceiver
) -> None:
    receiver.statuses = [418]
    webhook_id = await register(tenant, receiver.url)
    answer = (await tenant.post(f"/v1/webhooks/{webhook_id}/test", {"event": "call.failed"})).json()
    assert (answer["status"], answer["status_code"], answer["answer"]) == ("failed", 418, "thanks")
    [request] = receiver.received
    assert request.is_signed_with(SECRET)
    assert request.document["event"] == "call.failed"
    assert "type" not in request.document
    assert answer["request"]["body"].encode() == request.body
    assert await deliveries(tenant, webhook_id) == [], "it is no event"


async def test_the_secret_is_sealed_and_never_shown(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database
) -> None:
    webhook_id = await register(tenant, receiver.url)
    async with database.system_session() as session:
        webhook = await session.get_one(Webhook, webhook_id)
        assert SECRET not in webhook.sealed_secret
    for path in ("/v1/webhooks", f"/v1/webhooks/{webhook_id}", "/v1/audit-log"):
        assert SECRET not in (await tenant.get(path)).text


async def test_deliveries_are_listed_page_by_page(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    webhook_id = await register(tenant, receiver.url)
    for _ in range(3):
        await publish(database, tenant)
    await deliver()
    everything = [each["id"] for each in await deliveries(tenant, webhook_id)]
    path = f"/v1/webhooks/{webhook_id}/deliveries?limit=2"
    first = (await tenant.get(path)).json()
    rest = (await tenant.get(f"{path}&cursor={first['next_cursor']}")).json()
    assert [each["id"] for each in first["deliveries"] + rest["deliveries"]] == everything
    assert rest["next_cursor"] is None
    wrong = await tenant.get(f"{path}&cursor={uuid4()}")
    assert wrong.status_code == 400


async def test_old_deliveries_are_deleted_with_their_tries(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database, deliver: Deliver
) -> None:
    webhook_id = await register(tenant, receiver.url)
    for _ in range(2):
        await publish(database, tenant)
    await deliver()
    [kept, old] = [UUID(each["id"]) for each in await deliveries(tenant, webhook_id)]
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE webhook_deliveries SET occurred_at = now() - interval '31 days'"
                " WHERE id = :id"
            ),
            {"id": old},
        )
    context = SimpleNamespace(additional_context=job_resources(database))
    await delete_expired.func(context, timestamp=0)
    assert [each["id"] for each in await deliveries(tenant, webhook_id)] == [str(kept)]
    async with database.system_session() as session:
        assert await session.scalar(text("SELECT count(*) FROM webhook_tries")) == 1
        assert (await session.scalars(select(Webhook.id))).all() == [webhook_id]
