"""Invitations: sent, resent, revoked, expired, and accepted once by the reader of the mailbox."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from aiosmtpd.smtp import SMTP
from fastapi import FastAPI
from sqlalchemy import select, text, update

from control_plane.identity.accounts.models import AttemptCount
from control_plane.identity.members.models import Invitation, Membership
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from control_plane.platform.mail.mailer import Mailer
from control_plane.platform.outbox.models import OutboxEvent
from control_plane.platform.settings import SmtpSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser, a_browser, token_in
from tests.control_plane.platform.mail.test_mailer import Mailbox, listening

Outbox = Callable[[], list[EmailMessage]]
NOAH = "noah@example.com"


def outcome(answer: httpx2.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code")


async def invite(
    by: TenantClient, outbox: Outbox, role: str = "member", email: str = NOAH
) -> tuple[dict[str, Any], str]:
    """The invitation and the token in its mail."""
    answer = await by.post("/v1/invitations", {"email": email, "role": role})
    assert answer.status_code == 201, answer.text
    return answer.json(), token_in(outbox()[-1])


async def accept(browser: Browser, token: str, **fields: Any) -> httpx2.Response:
    return await browser.post("/v1/invitations/accept", {"token": token} | fields)


async def _age(database: Database, **values: datetime) -> None:
    async with database.system_session() as session:
        await session.execute(update(Invitation).values(**values))


async def test_an_invitation_is_mailed_listed_and_announced(
    tenant: TenantClient, outbox: Outbox, database: Database
) -> None:
    made, token = await invite(tenant, outbox, "admin", " Noah@Example.com ")

    assert (made["email"], made["role"], made["status"]) == (NOAH, "admin", "pending")
    assert made["invite_sent"] is False  # This installation has no mail server.
    assert made["invited_by"] == "First key"
    [mail] = outbox()
    assert mail["To"] == NOAH
    assert f"http://switchboard.test/invitations/accept?token={token}" in mail.get_content()
    assert "POST http://switchboard.test/v1/invitations/accept" in mail.get_content()
    listed = await tenant.get("/v1/invitations")
    assert listed.json()["invitations"] == [made]
    assert token not in listed.text
    async with database.system_session() as session:
        rows = "\n".join(await session.scalars(text("SELECT i::text FROM invitations i")))
        [event] = await session.scalars(
            select(OutboxEvent).where(OutboxEvent.event == "team.member_invited")
        )
        actions = list(await session.scalars(select(AuditEntry.action)))
    assert token not in rows
    assert event.data["metadata"]["email"] == NOAH
    assert "invitation.created" in actions


async def test_a_mail_server_that_takes_it_makes_it_sent(
    app: FastAPI, tenant: TenantClient, tmp_path: Path
) -> None:
    mailbox = Mailbox()
    async with listening(lambda: SMTP(mailbox, hostname="mail.test")) as port:
        app.state.mailer = Mailer(
            SmtpSettings(
                host="127.0.0.1", port=port, encryption="none", sender="noreply@example.org"
            ),
            tmp_path,
        )
        made = await tenant.post("/v1/invitations", {"email": NOAH, "role": "member"})
        reset = await tenant.http.post("/v1/auth/password-reset", json={"email": NOAH})
    assert made.json()["invite_sent"] is True
    assert [message["To"] for message in mailbox.messages] == [NOAH]
    listed = (await tenant.get("/v1/invitations")).json()["invitations"]
    assert listed[0]["invite_sent"] is True
    assert reset.json()["mail_enabled"] is True
    assert "on its way" in reset.json()["message"]


async def test_a_mail_server_that_is_down_leaves_the_invitation_standing(
    app: FastAPI, tenant: TenantClient, tmp_path: Path
) -> None:
    async with listening(asyncio.Protocol) as port:
        pass
    down = SmtpSettings(host="127.0.0.1", port=port, encryption="none", sender="x@example.org")
    app.state.mailer = Mailer(down, tmp_path)
    made = await tenant.post("/v1/invitations", {"email": NOAH, "role": "member"})
    assert (made.status_code, made.json()["invite_sent"]) == (201, False)


async def test_a_new_person_joins_with_a_password_of_their_choice(
    tenant: TenantClient, browser: Browser, outbox: Outbox, database: Database
) -> None:
    _, token = await invite(tenant, outbox, "admin")

    answer = await accept(browser, token, password=PASSWORD, name="Noah")

    assert answer.status_code == 200
    me = answer.json()
    assert (me["user"]["email"], me["user"]["name"]) == (NOAH, "Noah")
    assert (me["user"]["email_confirmed"], me["role"], me["new_device"]) == (True, "admin", False)
    assert me["tenant"]["id"] == str(tenant.tenant_id)
    assert (await browser.get("/v1/api-keys")).status_code == 200
    assert (await browser.log_in(email=NOAH)).status_code == 200
    [listed] = (await tenant.get("/v1/invitations")).json()["invitations"]
    assert listed["status"] == "accepted"
    async with database.system_session() as session:
        [event] = await session.scalars(
            select(OutboxEvent).where(OutboxEvent.event == "team.member_joined")
        )
        actions = list(await session.scalars(select(AuditEntry.action).order_by(AuditEntry.id)))
    assert event.data["metadata"]["role"] == "admin"
    assert "member.joined" in actions


async def test_an_existing_person_joins_with_their_password(
    tenant: TenantClient, browser: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up(email=NOAH)
    _, token = await invite(tenant, outbox)

    wrong = await accept(other_browser, token, password="another password")
    right = await accept(other_browser, token, password=PASSWORD)

    assert outcome(wrong) == (401, "invalid_credentials")
    assert right.status_code == 200
    assert right.json()["tenant"]["id"] == str(tenant.tenant_id)
    assert len(right.json()["tenants"]) == 2
    assert right.json()["new_device"] is True
    assert (await browser.me())["role"] == "owner"


async def test_an_existing_person_joins_with_their_session(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up(email=NOAH)
    _, token = await invite(tenant, outbox)
    csrf_token = browser.headers.pop("X-CSRF-Token")

    assert outcome(await accept(browser, token)) == (403, "csrf_token_required")
    browser.headers["X-CSRF-Token"] = csrf_token
    assert (await accept(browser, token)).json()["role"] == "member"


async def test_a_session_of_somebody_else_does_not_do(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    await browser.sign_up(email="mia@example.com")
    _, token = await invite(tenant, outbox)
    assert outcome(await accept(browser, token)) == (403, "invitation_for_somebody_else")


async def test_without_password_or_session_one_is_asked_for(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    _, token = await invite(tenant, outbox)
    browser.http.cookies.set("switchboard_session", "x" * 43)
    for fields in ({}, {"password": "short"}, {"password": NOAH}):
        answer = await accept(browser, token, **fields)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "password")


async def test_a_member_is_not_invited_again(tenant: TenantClient) -> None:
    body = {"email": "Owner@example.com", "role": "member"}
    assert outcome(await tenant.post("/v1/invitations", body)) == (409, "already_member")


async def test_a_person_without_a_password_chooses_one(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    """As the owner of an account that the operator opened."""
    opened = await browser.http.post(
        "/v1/operator/tenants", headers=OPERATOR, json={"name": "Noah's", "owner_email": NOAH}
    )
    assert opened.status_code == 201
    _, token = await invite(tenant, outbox)
    assert (await accept(browser, token, password=PASSWORD)).status_code == 200
    assert len((await browser.me())["tenants"]) == 2


async def test_a_token_works_once(
    app: FastAPI, tenant: TenantClient, outbox: Outbox, database: Database
) -> None:
    _, token = await invite(tenant, outbox)
    async with a_browser(app) as one, a_browser(app) as two:
        answers = await asyncio.gather(
            *(accept(browser, token, password=PASSWORD) for browser in (one, two))
        )
        assert sorted(answer.status_code for answer in answers) == [200, 400]
        assert outcome(await accept(one, token, password=PASSWORD)) == (400, "invalid_token")
    async with database.tenant_session(tenant.tenant_id) as session:
        assert len((await session.scalars(select(Membership))).all()) == 2


async def test_an_invitation_expires_and_can_be_sent_again(
    tenant: TenantClient, browser: Browser, outbox: Outbox, database: Database
) -> None:
    made, token = await invite(tenant, outbox)
    lifetime = datetime.fromisoformat(made["expires_at"]) - datetime.fromisoformat(
        made["created_at"]
    )
    assert lifetime == timedelta(days=7)
    now = datetime.now(UTC)
    await _age(database, expires_at=now, sent_at=now - timedelta(days=7))

    assert outcome(await accept(browser, token, password=PASSWORD)) == (400, "invalid_token")
    [listed] = (await tenant.get("/v1/invitations")).json()["invitations"]
    assert listed["status"] == "expired"

    resent = await tenant.post(f"/v1/invitations/{made['id']}/resend")
    assert (resent.status_code, resent.json()["status"]) == (200, "pending")
    assert outcome(await accept(browser, token, password=PASSWORD)) == (400, "invalid_token")
    answer = await accept(browser, token_in(outbox()[-1]), password=PASSWORD)
    assert answer.status_code == 200


async def test_an_expired_invitation_gives_way_to_a_new_one(
    tenant: TenantClient, outbox: Outbox, database: Database
) -> None:
    await invite(tenant, outbox)
    again = await tenant.post("/v1/invitations", {"email": NOAH, "role": "admin"})
    assert outcome(again) == (409, "invitation_exists")
    await _age(database, expires_at=datetime.now(UTC))
    await invite(tenant, outbox, "admin")
    listed = (await tenant.get("/v1/invitations")).json()
    assert [row["status"] for row in listed["invitations"]] == ["pending", "revoked"]
    assert listed["total"] == 2


async def test_of_two_invitations_at_once_one_stands(tenant: TenantClient) -> None:
    body = {"email": NOAH, "role": "member"}
    answers = await asyncio.gather(*(tenant.post("/v1/invitations", body) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [201, 409, 409, 409]


async def test_resending_waits_a_minute(
    tenant: TenantClient, outbox: Outbox, database: Database
) -> None:
    made, _ = await invite(tenant, outbox)
    path = f"/v1/invitations/{made['id']}/resend"
    refused = await tenant.post(path)
    assert outcome(refused) == (429, "resend_too_soon")
    assert 0 < int(refused.headers["retry-after"]) <= 60
    await _age(database, sent_at=datetime.now(UTC) - timedelta(seconds=60))
    assert (await tenant.post(path)).status_code == 200
    assert (await tenant.post(path)).status_code == 429
    assert len(outbox()) == 2


async def test_a_revoked_invitation_is_closed(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    made, token = await invite(tenant, outbox)
    path = f"/v1/invitations/{made['id']}"
    for _ in range(2):
        revoked = await tenant.request("DELETE", path)
        assert revoked.json() == {"status": "revoked", "id": made["id"]}
    assert outcome(await accept(browser, token, password=PASSWORD)) == (400, "invalid_token")
    assert outcome(await tenant.post(f"{path}/resend")) == (409, "invitation_closed")
    await invite(tenant, outbox)


async def test_an_accepted_invitation_is_closed(
    tenant: TenantClient, browser: Browser, outbox: Outbox
) -> None:
    made, token = await invite(tenant, outbox)
    await accept(browser, token, password=PASSWORD)
    path = f"/v1/invitations/{made['id']}"
    assert outcome(await tenant.request("DELETE", path)) == (409, "invitation_closed")
    assert outcome(await tenant.post(f"{path}/resend")) == (409, "invitation_closed")


async def test_a_foreign_or_unknown_invitation_is_404(
    tenant: TenantClient, other_tenant: TenantClient, outbox: Outbox
) -> None:
    made, _ = await invite(other_tenant, outbox)
    for invitation_id in (made["id"], uuid4()):
        path = f"/v1/invitations/{invitation_id}"
        assert outcome(await tenant.request("DELETE", path)) == (404, "invitation_not_found")
        assert outcome(await tenant.post(f"{path}/resend")) == (404, "invitation_not_found")


async def test_only_an_owner_in_person_invites_an_owner(
    tenant: TenantClient, database: Database
) -> None:
    body = {"email": NOAH, "role": "owner"}
    admin = await dashboard_client(tenant, database, "admin")
    owner = await dashboard_client(tenant, database, "owner")
    assert outcome(await tenant.post("/v1/invitations", body)) == (403, "role_required")
    assert outcome(await admin.post("/v1/invitations", body)) == (403, "role_required")
    assert (await owner.post("/v1/invitations", body)).status_code == 201


async def test_a_member_invites_nobody(tenant: TenantClient, database: Database) -> None:
    member = await dashboard_client(tenant, database, "member")
    body = {"email": NOAH, "role": "member"}
    assert outcome(await member.post("/v1/invitations", body)) == (403, "role_required")
    assert outcome(await member.get("/v1/invitations")) == (403, "role_required")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"role": "member"}, "email"),
        ({"email": "nobody", "role": "member"}, "email"),
        ({"email": "x@example.com\nBcc: y@example.com", "role": "member"}, "email"),
        ({"email": NOAH}, "role"),
        ({"email": NOAH, "role": "root"}, "role"),
        ({"email": NOAH, "role": "member", "tenant_id": "x"}, "tenant_id"),
    ],
)
async def test_a_wrong_invitation_is_400(
    tenant: TenantClient, body: dict[str, str], field: str
) -> None:
    answer = await tenant.post("/v1/invitations", body)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


async def test_a_tenant_sends_so_many_mails_a_day_and_no_more(
    tenant: TenantClient, database: Database, outbox: Outbox
) -> None:
    await invite(tenant, outbox)
    async with database.system_session() as session:
        await session.execute(update(AttemptCount).values(attempts=100))
    answer = await tenant.post("/v1/invitations", {"email": "more@example.com", "role": "member"})
    assert outcome(answer) == (429, "too_many_attempts")


async def test_a_mail_that_is_sent_again_counts_as_one_of_the_day(
    tenant: TenantClient, database: Database, outbox: Outbox
) -> None:
    made, token = await invite(tenant, outbox)
    await _age(database, sent_at=datetime.now(UTC) - timedelta(minutes=1))
    async with database.system_session() as session:
        await session.execute(update(AttemptCount).values(attempts=100))
    answer = await tenant.post(f"/v1/invitations/{made['id']}/resend")
    assert outcome(answer) == (429, "too_many_attempts")
    assert token_in(outbox()[-1]) == token, "and the first mail's link goes on working"


async def test_what_is_refused_mails_nothing_and_does_not_count(
    tenant: TenantClient, database: Database, outbox: Outbox
) -> None:
    made, _ = await invite(tenant, outbox)
    twice = await tenant.post("/v1/invitations", {"email": NOAH, "role": "member"})
    assert outcome(twice) == (409, "invitation_exists")
    at_once = await tenant.post(f"/v1/invitations/{made['id']}/resend")
    assert outcome(at_once) == (429, "resend_too_soon")
    async with database.system_session() as session:
        assert await session.scalar(select(AttemptCount.attempts)) == 1


async def test_a_tenants_name_is_no_header(browser: Browser, outbox: Outbox) -> None:
    await browser.open_account(
        outbox, tenant_name="Bright\r\nBcc: everybody@example.com\r\n\r\nSmiles"
    )
    answer = await browser.post("/v1/invitations", {"email": NOAH, "role": "member"})
    assert answer.status_code == 201
    mail = outbox()[-1]
    assert mail["Bcc"] is None
    assert mail["Subject"] == "You are invited to Bright Bcc: everybody@example.com Smiles"


async def test_whoever_squats_an_address_does_not_get_its_invitation(
    tenant: TenantClient, browser: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    """Noah never signed up; somebody did with his address. The mail lets Noah take it back."""
    await browser.sign_up(email=NOAH)
    _, token = await invite(tenant, outbox)
    await other_browser.post("/v1/auth/password-reset", {"email": NOAH})
    reset = {"token": token_in(outbox()[-1]), "password": "the password of Noah"}
    await other_browser.post("/v1/auth/password-reset/confirm", reset)

    assert (await browser.get("/v1/me")).status_code == 401
    assert (await accept(other_browser, token, password="the password of Noah")).is_success
