"""Testers: invited by mail, with minutes of their own, until they are revoked or expire."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from aiosmtpd.smtp import SMTP
from fastapi import FastAPI
from sqlalchemy import select, update

from contracts.sealing import Sealer, derived_key
from control_plane.building.agents.models import Agent
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.sharing.models import ShareLink
from control_plane.calling.sharing.models import Tester as InvitedTester
from control_plane.platform.database import Database
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.settings import ControlPlaneSettings, SmtpSettings
from tests.control_plane.calling.sharing.visitors import (
    Sharing,
    Visitor,
    hung_up,
    outcome,
    talked,
    talking,
    token_of,
)
from tests.control_plane.conftest import TenantClient
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.platform.mail.test_mailer import Mailbox, listening

Outbox = Callable[[], list[EmailMessage]]
NOAH = "noah@example.com"


@pytest.fixture
async def mailbox(app: FastAPI, tmp_path: Path) -> AsyncIterator[Mailbox]:
    """What a mail server has accepted."""
    mailbox = Mailbox()
    async with listening(lambda: SMTP(mailbox, hostname="mail.test")) as port:
        app.state.mailer = Mailer(
            SmtpSettings(host="127.0.0.1", port=port, encryption="none", sender="a@example.org"),
            tmp_path,
        )
        yield mailbox


def path_of(sharing: Sharing, rest: str = "") -> str:
    return f"/v1/agents/{sharing.agent_id}/testers{rest}"


async def invite(sharing: Sharing, email: str = NOAH, **fields: Any) -> httpx2.Response:
    return await sharing.tenant.post(path_of(sharing), {"email": email} | fields)


async def invited(sharing: Sharing, email: str = NOAH, **fields: Any) -> dict[str, Any]:
    answer = await invite(sharing, email, **fields)
    assert answer.status_code == 201, answer.text
    shown: dict[str, Any] = answer.json()["tester"]
    return shown


async def change(sharing: Sharing, tester_id: object, **fields: Any) -> httpx2.Response:
    return await sharing.tenant.request("PATCH", path_of(sharing, f"/{tester_id}"), json=fields)


def visitor_of(sharing: Sharing, shown: dict[str, Any]) -> Visitor:
    return Visitor(sharing.tenant.http, token_of(shown), "203.0.113.1")


async def _age(database: Database, **values: datetime) -> None:
    async with database.system_session() as session:
        await session.execute(update(InvitedTester).values(**values))


async def test_a_tester_is_invited_mailed_and_listed(sharing: Sharing, mailbox: Mailbox) -> None:
    answer = await invite(sharing, " Noah@Example.com ", minutes_limit=15)
    assert answer.status_code == 201
    assert answer.json()["invite_sent"] is True
    shown = answer.json()["tester"]
    expected = {
        "agent_id": str(sharing.agent_id),
        "email": NOAH,
        "status": "invited",
        "minutes_limit": 15,
        "minutes_used": 0,
        "minutes_reserved": 0,
        "minutes_remaining": 15,
        "live_calls": 0,
        "invite_sent": True,
        "expires_at": None,
        "minutes_requested_at": None,
    }
    assert shown == shown | expected
    [mail] = mailbox.messages
    assert mail["To"] == NOAH
    assert shown["url"] in mail.get_content()
    assert "15 minutes" in mail.get_content()
    assert (await sharing.tenant.get(path_of(sharing))).json() == {
        "testers": [shown],
        "link": None,
        "link_feature": True,
        "agent_uses_owner_keys": False,
    }
    link = await sharing.link()
    assert (await sharing.tenant.get(path_of(sharing))).json()["link"] == link


@pytest.mark.parametrize(
    "wrong",
    [
        {"email": "noah"},
        {"email": 7},
        {"minutes_limit": -1},
        {"minutes_limit": 601},
        {"minutes_limit": 1.5},
        {"minutes_limit": "5"},
        {"minutes_limit": True},
        {"minutes_limit": None},
        {"expires_at": "2020-01-01T00:00:00Z"},
        {"expires_at": "tomorrow"},
        {"expires_at": 1_900_000_000},
        {"expires_at": "0001-01-01T00:00:00+23:59"},
    ],
)
async def test_a_bad_address_minutes_or_expiry_is_refused(
    sharing: Sharing, wrong: dict[str, Any]
) -> None:
    answer = await sharing.tenant.post(path_of(sharing), {"email": NOAH} | wrong)
    assert outcome(answer) == (400, "invalid_tester_input")
    assert [error["field"] for error in answer.json()["errors"]] == list(wrong)
    if "email" not in wrong:
        made = await invited(sharing)
        assert outcome(await change(sharing, made["id"], **wrong)) == (400, "invalid_tester_input")


async def test_an_address_is_required_and_a_change_says_something(sharing: Sharing) -> None:
    assert (await sharing.tenant.post(path_of(sharing), {})).status_code == 400
    made = await invited(sharing)
    assert outcome(await change(sharing, made["id"])) == (400, "invalid_tester_input")


async def test_an_address_has_one_active_invite_for_an_agent(
    sharing: Sharing, database: Database
) -> None:
    first = await invited(sharing)
    assert outcome(await invite(sharing, "NOAH@example.com")) == (409, "tester_already_invited")
    await invited(Sharing(sharing.tenant, await sharing.tenant.agent()))
    await _age(database, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    again = await invited(sharing)
    assert again["id"] != first["id"], "an expired invite is replaced"
    listed = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    assert [each["id"] for each in listed] == [again["id"]]


async def test_an_agent_has_fifty_active_testers_however_many_are_invited_at_once(
    sharing: Sharing,
) -> None:
    for batch in range(5):
        await asyncio.gather(*(invited(sharing, f"t{batch}-{n}@example.com") for n in range(9)))
    answers = await asyncio.gather(*(invite(sharing, f"x{n}@example.com") for n in range(9)))
    assert sorted(map(outcome, answers), key=str) == sorted(
        [(201, None)] * 5 + [(409, "tester_limit_reached")] * 4, key=str
    )
    listed = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    assert len(listed) == 50
    await sharing.tenant.request("DELETE", path_of(sharing, f"/{listed[0]['id']}"))
    assert (await invite(sharing, "late@example.com")).status_code == 201


async def test_an_agent_on_its_owners_keys_gives_free_minutes(
    sharing: Sharing, database: Database
) -> None:
    made = await invited(sharing, minutes_limit=2)
    async with database.system_session() as session:
        agent = await session.get_one(Agent, sharing.agent_id)
        config = agent.provider_config
        for stack in config["languages"].values():
            stack["llm"]["primary"]["key_source"] = "own"
        await session.execute(
            update(Agent).where(Agent.id == sharing.agent_id).values(provider_config=config)
        )
    listed = (await sharing.tenant.get(path_of(sharing))).json()
    assert listed["agent_uses_owner_keys"] is True
    refused = (400, "free_minutes_required")
    assert outcome(await invite(sharing, "mia@example.com")) == refused
    assert outcome(await change(sharing, made["id"], minutes_limit=0)) == refused
    assert (await invite(sharing, "mia@example.com", minutes_limit=1)).status_code == 201


async def test_an_invite_is_mailed_again_once_a_minute_with_the_same_address(
    sharing: Sharing, mailbox: Mailbox, database: Database
) -> None:
    made = await invited(sharing)
    resend = path_of(sharing, f"/{made['id']}/resend")
    refused = await sharing.tenant.post(resend)
    assert outcome(refused) == (429, "tester_resend_cooldown")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    await _age(database, sent_at=datetime.now(UTC) - timedelta(seconds=61))
    answer = await sharing.tenant.post(resend)
    assert answer.status_code == 200, answer.text
    assert answer.json()["invite_sent"] is True
    mails = [re.search(r"\S+/s/\S+", mail.get_content()) for mail in mailbox.messages]
    assert {found and found[0] for found in mails} == {made["url"]}
    assert len(mails) == 2
    assert outcome(await sharing.tenant.post(resend)) == (429, "tester_resend_cooldown")


async def test_nobody_is_mailed_an_invitation_that_is_over(
    sharing: Sharing, mailbox: Mailbox, database: Database
) -> None:
    made = await invited(sharing)
    long_ago = datetime.now(UTC) - timedelta(seconds=61)
    await _age(database, sent_at=long_ago, expires_at=long_ago)
    resend = path_of(sharing, f"/{made['id']}/resend")
    assert outcome(await sharing.tenant.post(resend)) == (400, "invalid_tester_input")
    assert len(mailbox.messages) == 1
    assert (await change(sharing, made["id"], expires_at="2999-01-01")).status_code == 200
    assert (await sharing.tenant.post(resend)).status_code == 200


async def test_an_address_whose_key_is_lost_is_left_out_of_what_its_owner_sees(
    sharing: Sharing, mailbox: Mailbox, database: Database
) -> None:
    link, made = await sharing.link(), await invited(sharing)
    lost = Sealer([derived_key("a key that is not there any more")]).seal("token")
    async with database.system_session() as session:
        for table in (ShareLink, InvitedTester):
            await session.execute(update(table).values(sealed_token=lost))
    listed = (await sharing.tenant.get(path_of(sharing))).json()
    assert (listed["link"]["url"], listed["testers"][0]["url"]) == ("", "")
    resend = path_of(sharing, f"/{made['id']}/resend")
    assert outcome(await sharing.tenant.post(resend)) == (409, "tester_address_lost")
    assert await visitor_of(sharing, made).state() == "empty", "it still works"
    again = await sharing.tenant.post(f"/v1/agents/{sharing.agent_id}/share-link/regenerate")
    assert again.json()["link"]["url"] not in ("", link["url"])


async def test_a_mail_that_cannot_be_sent_leaves_an_invite_to_send_again(
    sharing: Sharing, app: FastAPI, database: Database, settings: ControlPlaneSettings
) -> None:
    nowhere = SmtpSettings(host="127.0.0.1", port=1, sender="a@example.com", timeout_seconds=2)
    app.state.mailer = Mailer(nowhere, settings.mail_outbox_dir)
    answer = await invite(sharing)
    assert answer.status_code == 201
    assert answer.json()["invite_sent"] is answer.json()["tester"]["invite_sent"] is False
    await _age(database, sent_at=datetime.now(UTC) - timedelta(seconds=61))
    resend = path_of(sharing, f"/{answer.json()['tester']['id']}/resend")
    assert outcome(await sharing.tenant.post(resend)) == (502, "tester_invite_send_failed")
    [listed] = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    assert listed["invite_sent"] is False


async def test_a_tester_uses_their_own_minutes_one_call_at_a_time(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    made = await invited(sharing, minutes_limit=2)
    visitor = visitor_of(sharing, made)
    plan = await talking(visitor, worker, consumer)
    assert plan.limits.max_duration_seconds == 120
    assert plan.participants[0].identity == NOAH
    assert plan.metadata == {"tester_id": made["id"]}
    assert outcome(await visitor.call()) == (409, "share_link_busy")
    await hung_up(plan, worker, consumer, 33)
    [listed] = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    assert (listed["seconds_used"], listed["seconds_remaining"]) == (33, 87)
    for seconds in (30, 5, 5, 5, 5):
        if (await visitor.state()) == "ready":
            await talked(visitor, worker, consumer, seconds)
    assert await visitor.state() == "empty"
    assert outcome(await visitor.call()) == (409, "share_link_pool_empty")


async def test_a_tester_asks_for_more_minutes_and_a_change_answers(
    sharing: Sharing, database: Database
) -> None:
    made = await invited(sharing)
    visitor = visitor_of(sharing, made)
    assert await visitor.state() == "empty", "0 minutes: none to use"
    for _ in range(2):
        assert (await visitor.ask_for_minutes()).status_code == 200
    [listed] = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    assert listed["minutes_requested_at"] is not None
    async with database.tenant_session(sharing.tenant.tenant_id) as session:
        told = (
            await session.scalars(
                select(OutboxEvent.data).where(OutboxEvent.event == "agent.minutes_requested")
            )
        ).all()
    assert [NOAH in each["message"] for each in told] == [True]
    same = await change(sharing, made["id"], minutes_limit=0)
    assert same.json()["tester"]["minutes_requested_at"] is not None
    later = await change(sharing, made["id"], minutes_limit=4)
    assert later.json()["tester"] == later.json()["tester"] | {
        "minutes_requested_at": None,
        "minutes_remaining": 4,
    }
    assert await visitor.state() == "ready"


async def test_an_expired_tester_cannot_call_until_the_expiry_is_changed(
    sharing: Sharing, database: Database
) -> None:
    made = await invited(sharing, minutes_limit=5, expires_at="2999-01-01")
    assert made["expires_at"] == "2999-01-01T00:00:00Z"
    visitor = visitor_of(sharing, made)
    assert await visitor.state() == "ready"
    await _age(database, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    assert await visitor.state() == "off"
    assert (await visitor.look())["name"] is None
    assert outcome(await visitor.call()) == (409, "share_link_off")
    assert outcome(await visitor.ask_for_minutes()) == (409, "share_link_off")
    [listed] = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    assert listed["status"] == "expired"
    assert (await change(sharing, made["id"], expires_at=None)).status_code == 200
    assert await visitor.state() == "ready"


async def test_an_expired_tester_is_active_again_only_where_there_is_a_place(
    sharing: Sharing, database: Database
) -> None:
    expired = await invited(sharing, "early@example.com", minutes_limit=5)
    await _age(database, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    for batch in range(5):
        await asyncio.gather(*(invited(sharing, f"t{batch}-{n}@example.com") for n in range(10)))
    full = (409, "tester_limit_reached")
    for expires_at in (None, "2999-01-01"):
        assert outcome(await change(sharing, expired["id"], expires_at=expires_at)) == full
    assert await visitor_of(sharing, expired).state() == "off"
    assert (await change(sharing, expired["id"], minutes_limit=6)).status_code == 200
    [listed, *_] = (await sharing.tenant.get(path_of(sharing))).json()["testers"]
    later = await change(sharing, listed["id"], expires_at="2999-01-01")
    assert later.status_code == 200, "one who is active needs no further place"
    await sharing.tenant.request("DELETE", path_of(sharing, f"/{listed['id']}"))
    assert (await change(sharing, expired["id"], expires_at=None)).status_code == 200
    assert await visitor_of(sharing, expired).state() == "ready"


async def test_a_revoked_tester_loses_access_and_the_call_at_once(
    sharing: Sharing, worker: FakeWorker, consumer: EventConsumer
) -> None:
    made = await invited(sharing, minutes_limit=5)
    visitor = visitor_of(sharing, made)
    assert (await visitor.call()).status_code == 201
    path = path_of(sharing, f"/{made['id']}")
    for _ in range(2):
        answer = await sharing.tenant.request("DELETE", path)
        assert (answer.status_code, answer.content) == (204, b"")
    assert await visitor.state() == "off"
    assert outcome(await visitor.call()) == (409, "share_link_off")
    [call] = (await sharing.tenant.get("/v1/calls")).json()["calls"]
    assert call["ended_at"] is not None
    assert (await sharing.tenant.get(path_of(sharing))).json()["testers"] == []
    gone = (404, "tester_not_found")
    assert outcome(await change(sharing, made["id"], minutes_limit=9)) == gone
    assert outcome(await sharing.tenant.post(f"{path}/resend")) == gone
    assert (await invite(sharing)).status_code == 201, "the address can be invited again"


async def test_other_agents_and_tenants_testers_are_not_found(
    sharing: Sharing, other_tenant: TenantClient
) -> None:
    made = await invited(sharing)
    others_agent = await sharing.tenant.agent()
    for tenant, agent_id, code in (
        (sharing.tenant, others_agent, "tester_not_found"),
        (sharing.tenant, uuid4(), "agent_not_found"),
        (other_tenant, sharing.agent_id, "agent_not_found"),
    ):
        path = f"/v1/agents/{agent_id}/testers/{made['id']}"
        answers = [
            await tenant.request("PATCH", path, json={"minutes_limit": 1}),
            await tenant.post(f"{path}/resend"),
            await tenant.request("DELETE", path),
        ]
        assert {outcome(answer) for answer in answers} == {(404, code)}
    nobody = Sharing(sharing.tenant, uuid4())
    assert outcome(await invite(nobody)) == (404, "agent_not_found")
    assert outcome(await sharing.tenant.get(path_of(nobody))) == (404, "agent_not_found")


async def test_a_publishable_key_manages_no_testers(sharing: Sharing) -> None:
    made = await invited(sharing)
    key = await sharing.tenant.publishable_key()
    one = path_of(sharing, f"/{made['id']}")
    for method, path, body in (
        ("GET", path_of(sharing), None),
        ("POST", path_of(sharing), {"email": "mia@example.com"}),
        ("PATCH", one, {"minutes_limit": 1}),
        ("POST", f"{one}/resend", None),
        ("DELETE", one, None),
    ):
        answer = await sharing.tenant.http.request(method, path, headers=key, json=body)
        assert outcome(answer) == (403, "secret_key_required")


async def test_testers_work_where_public_links_are_off(
    sharing: Sharing, app: FastAPI, settings: ControlPlaneSettings
) -> None:
    await sharing.link()
    app.state.settings = settings.model_copy(update={"share_links": False})
    made = await invited(sharing, minutes_limit=1)
    listed = (await sharing.tenant.get(path_of(sharing))).json()
    assert (listed["link_feature"], listed["link"]) == (False, None)
    assert await visitor_of(sharing, made).state() == "ready"


async def test_a_request_that_is_sent_again_invites_once(sharing: Sharing, outbox: Outbox) -> None:
    headers = sharing.tenant.headers | {"Idempotency-Key": uuid4().hex}
    answers = [
        await sharing.tenant.http.post(path_of(sharing), headers=headers, json={"email": NOAH})
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert len(outbox()) == 1
