"""What visitors of a public link get, and what it may cost."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace

import pytest
from fastapi import FastAPI
from redis.asyncio import Redis
from sqlalchemy import select
from structlog.testing import capture_logs

from contracts.end_reasons import EndReason
from contracts.money import BILLING_INCREMENT_SECONDS
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.link.link import Link
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.calling.sharing.visitors import (
    Sharing,
    Visitor,
    hung_up,
    outcome,
    talked,
    talking,
    token_of,
)
from tests.control_plane.conftest import OPERATOR
from tests.control_plane.conversation import catch_up
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.owned_books import hold


async def test_a_visitor_sees_whom_they_will_talk_to(sharing: Sharing) -> None:
    visitor = await sharing.visitor(minutes_limit=3)
    assert await visitor.look() == {
        "state": "ready",
        "name": "Mia",
        "role": "receptionist",
        "company_name": "Harbour Dental",
        "about": "A dental practice at the harbour.",
        "language": "en-US",
        "minutes_remaining": 3,
        "max_call_seconds": 180,
        "is_recorded": False,
        "asks_consent": False,
        "minutes_requested": False,
        "can_pay": False,
        "price_per_min": None,
    }


async def test_a_visitor_knows_of_the_recording_before_the_call(sharing: Sharing) -> None:
    path = f"/v1/agents/{sharing.agent_id}"
    features = {"recording_enabled": True, "require_consent": True}
    await sharing.tenant.request("PATCH", path, json={"features": features})
    await sharing.tenant.post(f"{path}/publish")
    seen = await (await sharing.visitor()).look()
    assert (seen["is_recorded"], seen["asks_consent"]) == (True, True)


async def test_a_visitor_passes_through_every_state(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor(minutes_limit=3, max_concurrent=1, max_call_seconds=120)
    assert await visitor.state() == "ready"
    plan = await talking(visitor, worker, consumer)
    assert (await visitor.look())["minutes_remaining"] == 1
    assert await visitor.state() == "busy"
    assert outcome(await visitor.call()) == (409, "share_link_busy")
    await hung_up(plan, worker, consumer, 120)
    assert await visitor.state() == "ready"
    await talked(visitor, worker, consumer, 60)
    assert await visitor.state() == "empty"
    assert outcome(await visitor.call()) == (409, "share_link_pool_empty")
    await sharing.link(minutes_limit=10)
    assert await visitor.state() == "ready"
    await sharing.link(enabled=False)
    assert await visitor.look() == await visitor.look() | {"state": "off", "name": None}
    assert outcome(await visitor.call()) == (409, "share_link_off")
    await sharing.link(enabled=True)
    pause = f"/v1/operator/agents/{sharing.agent_id}/pause"
    await sharing.tenant.http.post(pause, headers=OPERATOR, json={"reason": "abuse"})
    assert await visitor.state() == "unpublished"
    assert outcome(await visitor.call()) == (409, "share_link_unpublished")
    await sharing.tenant.http.delete(pause, headers=OPERATOR)
    await sharing.tenant.post(f"{sharing.path}/regenerate")
    assert outcome(await visitor.visit()) == (404, "share_not_found")
    assert outcome(await visitor.call()) == (404, "share_not_found")
    assert outcome(await visitor.ask_for_minutes()) == (404, "share_not_found")


async def test_an_agent_that_was_never_published_or_is_deleted_takes_no_calls(
    sharing: Sharing,
) -> None:
    draft = Sharing(sharing.tenant, await sharing.tenant.agent())
    visitor = await draft.visitor()
    assert await visitor.state() == "unpublished"
    assert outcome(await visitor.call()) == (409, "share_link_unpublished")
    visitor = await sharing.visitor()
    await sharing.tenant.request("DELETE", f"/v1/agents/{sharing.agent_id}")
    assert await visitor.state() == "unpublished"
    assert outcome(await visitor.call()) == (409, "share_link_unpublished")


async def test_the_minutes_are_reserved_while_a_call_runs_and_settled_to_the_second(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor(minutes_limit=10, max_call_seconds=120)
    plan = await talking(visitor, worker, consumer)
    link = await sharing.link()
    assert (link["live_calls"], link["minutes_reserved"], link["minutes_used"]) == (1, 2, 0)
    assert (link["minutes_remaining"], link["seconds_remaining"]) == (8, 480)
    await hung_up(plan, worker, consumer, 46.2)
    link = await sharing.link()
    assert (link["live_calls"], link["minutes_reserved"], link["minutes_used"]) == (0, 0, 1)
    assert (link["seconds_used"], link["seconds_remaining"]) == (47, 553)


async def test_the_call_is_limited_by_the_link_by_its_minutes_and_by_the_agent(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor(minutes_limit=4, max_call_seconds=180, max_concurrent=3)
    answer = await visitor.call()
    assert answer.json()["max_call_seconds"] == 180
    plan = await worker.claim()
    assert plan is not None
    assert plan.limits.max_duration_seconds == 180
    assert plan.metadata == {"share_link_id": (await sharing.link())["id"]}
    assert (await talking(visitor, worker, consumer)).limits.max_duration_seconds == 60
    path = f"/v1/agents/{sharing.agent_id}"
    await sharing.tenant.request("PATCH", path, json={"advanced": {"maxCallDuration": 40}})
    await sharing.tenant.post(f"{path}/publish")
    await sharing.link(minutes_limit=6)
    assert (await talking(visitor, worker, consumer)).limits.max_duration_seconds == 40
    assert (await sharing.link())["seconds_remaining"] == 80


async def test_a_worker_that_reports_more_than_it_was_given_uses_no_more(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor(minutes_limit=1)
    await talked(visitor, worker, consumer, 500)
    link = await sharing.link()
    assert (link["seconds_used"], link["minutes_used"]) == (60, 1)


async def test_a_call_that_has_used_its_minutes_says_so(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    """It is not the agent's own limit that was reached."""
    plan = await talking(await sharing.visitor(minutes_limit=1), worker, consumer)
    await worker.end(plan, 60_000, EndReason.MAX_CALL_DURATION)
    await catch_up(consumer)
    [call] = (await sharing.tenant.get("/v1/calls")).json()["calls"]
    assert (call["status"], call["end_reason"]) == ("completed", "time_limit_exceeded")


async def test_a_call_that_never_connects_gives_everything_back(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor(minutes_limit=1)
    assert (await visitor.call()).status_code == 201
    plan = await worker.claim()
    assert plan is not None
    await worker.end(plan, None)
    await catch_up(consumer)
    assert (await sharing.link())["seconds_remaining"] == 60


async def test_a_network_has_so_many_calls_an_hour(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor("198.51.100.7", calls_per_ip_hour=2)
    for _ in range(2):
        await talked(visitor, worker, consumer, 5)
    refused = await visitor.call()
    assert outcome(refused) == (429, "share_link_rate_limited")
    assert 3590 <= int(refused.headers["Retry-After"]) <= 3600
    assert refused.json()["limit"] == 2
    assert (await replace(visitor, address="198.51.100.8").call()).status_code == 201


async def test_neighbours_in_a_network_of_ipv6_count_as_one(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor("2001:db8:1:2::1", calls_per_ip_hour=1)
    await talked(visitor, worker, consumer, 5)
    neighbour = replace(visitor, address="2001:db8:1:2::beef")
    assert outcome(await neighbour.call()) == (429, "share_link_rate_limited")
    assert (await replace(visitor, address="2001:db8:1:3::1").call()).status_code == 201


async def test_a_refused_call_does_not_count(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    visitor = await sharing.visitor(max_concurrent=1, calls_per_ip_hour=2)
    plan = await talking(visitor, worker, consumer)
    answers = await asyncio.gather(*(visitor.call() for _ in range(5)))
    assert {outcome(answer) for answer in answers} == {(409, "share_link_busy")}
    await hung_up(plan, worker, consumer, 5)
    assert (await visitor.call()).status_code == 201


async def test_calls_that_cannot_be_counted_are_refused(sharing: Sharing, app: FastAPI) -> None:
    visitor = await sharing.visitor()
    app.state.link = Link("redis://127.0.0.1:1")
    assert outcome(await visitor.call()) == (503, "link_unavailable")
    assert (await sharing.link())["live_calls"] == 0


@pytest.mark.timeout(120)
async def test_fifty_visitors_at_once_get_two_calls_and_three_minutes(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer, redis: Redis
) -> None:
    """Wave after wave of them, until the minutes are gone. Each call talks for all it was given,
    and its worker says even more."""
    first = await sharing.visitor(minutes_limit=3, max_concurrent=2, max_call_seconds=60)
    visitors = [replace(first, address=f"203.0.113.{host}") for host in range(1, 51)]
    seen: list[Counter[tuple[int, str | None]]] = []
    for _ in range(4):
        answers = await asyncio.gather(*(visitor.call() for visitor in visitors))
        seen.append(Counter(map(outcome, answers)))
        link = await sharing.link()
        assert link["live_calls"] <= 2
        while (plan := await worker.claim()) is not None:
            await worker.start(plan)
            await worker.end(plan, (plan.limits.max_duration_seconds + 5) * 1000)
        await catch_up(consumer)
    begun, busy, empty = (201, None), (409, "share_link_busy"), (409, "share_link_pool_empty")
    assert seen == [
        Counter({begun: 2, busy: 48}),
        Counter({begun: 1, empty: 49}),
        Counter({empty: 50}),
        Counter({empty: 50}),
    ]
    link = await sharing.link()
    assert (link["seconds_used"], link["minutes_remaining"], link["live_calls"]) == (180, 0, 0)
    calls = (await sharing.tenant.get("/v1/calls")).json()["calls"]
    assert len(calls) == 3
    billed = sum(call["billable_seconds"] for call in calls)
    assert billed <= 180 + BILLING_INCREMENT_SECONDS


async def test_a_visitor_asks_for_more_minutes_and_the_owner_is_told_once(
    sharing: Sharing, database: Database
) -> None:
    visitor = await sharing.visitor(minutes_limit=0)
    assert await visitor.state() == "empty"
    asked = [await visitor.ask_for_minutes() for _ in range(3)]
    assert [answer.status_code for answer in asked] == [200] * 3
    link = await sharing.link()
    times = {answer.json()["minutes_requested_at"] for answer in asked}
    assert times == {link["minutes_requested_at"]}
    assert (await visitor.look())["minutes_requested"] is True
    async with database.tenant_session(sharing.tenant.tenant_id) as session:
        told = (
            await session.scalars(
                select(OutboxEvent.data).where(OutboxEvent.event == "agent.minutes_requested")
            )
        ).all()
    assert len(told) == 1
    assert "Reception line 2" in told[0]["message"]
    assert (await sharing.link(max_concurrent=3))["minutes_requested_at"] is not None
    assert (await sharing.link(minutes_limit=5))["minutes_requested_at"] is None
    await sharing.link(enabled=False)
    assert outcome(await visitor.ask_for_minutes()) == (409, "share_link_off")


async def test_only_permitted_pages_use_a_link(sharing: Sharing) -> None:
    visitor = await sharing.visitor(allowed_origins=["https://shop.example"])
    for origin in ("https://shop.example", "http://switchboard.test", None):
        assert (await replace(visitor, origin=origin).visit()).status_code == 200
    for origin in ("https://shop.example:8443", "https://evil.example", "null", "http://[", "x"):
        foreign = replace(visitor, origin=origin)
        answers = [await foreign.visit(), await foreign.call(), await foreign.ask_for_minutes()]
        assert {outcome(answer) for answer in answers} == {(403, "share_origin_not_allowed")}
        assert {a.headers["access-control-allow-origin"] for a in answers} == {"*"}


async def test_a_browser_may_ask_before_it_calls(sharing: Sharing) -> None:
    token = token_of(await sharing.link(allowed_origins=["https://shop.example"]))
    preflight = await sharing.tenant.http.options(
        f"/v1/shared/{token}/calls",
        headers={
            "Origin": "https://shop.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        },
    )
    assert preflight.status_code == 200
    assert preflight.headers["access-control-allow-origin"] == "*"


async def test_the_owners_account_is_not_the_visitors_business(
    sharing: Sharing, database: Database
) -> None:
    """Without credit nobody calls, and the answer says nothing of balances."""
    visitor = await sharing.visitor()
    await hold(database, sharing.tenant.tenant_id, 10**12)
    answer = await visitor.call()
    assert outcome(answer) == (409, "share_link_pool_empty")
    assert "credit" not in answer.text


@pytest.mark.parametrize("token", ["x", "x" * 200, "x" * 201, "%00", "ä"])
async def test_any_other_token_opens_nothing(sharing: Sharing, token: str) -> None:
    visitor = Visitor(sharing.tenant.http, token, "203.0.113.1")
    for answer in (await visitor.visit(), await visitor.call(), await visitor.ask_for_minutes()):
        assert answer.status_code in (400, 404)


async def test_the_token_stands_in_no_log(sharing: Sharing) -> None:
    visitor = await sharing.visitor()
    with capture_logs() as logs:
        await visitor.visit()
        await visitor.call()
        await sharing.tenant.http.get(f"/s/{visitor.token}")
    assert len([entry for entry in logs if entry["event"] == "request"]) == 3
    assert visitor.token not in str(logs)


async def test_the_page_and_the_widget_are_served_to_everybody(sharing: Sharing) -> None:
    page = await sharing.tenant.http.get("/s/any")
    assert page.status_code == 200
    assert page.headers["x-robots-tag"] == "noindex"
    assert page.headers["referrer-policy"] == "no-referrer"
    widget = await sharing.tenant.http.get("/widget.js", headers={"Origin": "https://a.example"})
    assert widget.headers["content-type"].startswith("text/javascript")
    assert widget.headers["cross-origin-resource-policy"] == "cross-origin"
    assert widget.headers["access-control-allow-origin"] == "*"
