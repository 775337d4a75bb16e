"""Over which channels a notification goes, and to whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from email.message import EmailMessage
from uuid import UUID

import pytest
from sqlalchemy import text

from control_plane.notifying.notifications.tasks import HAS_LEFT, MAIL_NOT_ACCEPTED, RETRIES_AFTER
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import DashboardClient, dashboard_client
from tests.control_plane.notifying.notifications.facts import WITH_EMAIL, read_facts, tell
from tests.control_plane.platform.mail.test_mailer import Mailbox

FEED = "/v1/notifications"
RunJobs = Callable[[ControlPlaneSettings], Awaitable[None]]


@pytest.fixture
async def admin(tenant: TenantClient, database: Database) -> DashboardClient:
    """The only one who can get mails; what came before is read."""
    await read_facts(database)
    return await dashboard_client(tenant, database, "admin")


async def deliveries(tenant: TenantClient, of: UUID | str, query: str = "") -> list[list[object]]:
    answer = await tenant.get(f"{FEED}/deliveries?limit=200{query}")
    assert answer.status_code == 200, answer.text
    return [
        [row[name] for name in ("channel", "status", "attempt_count", "last_error")]
        for row in answer.json()["data"]
        if row["notification_id"] == str(of)
    ]


async def test_a_mail_goes_to_those_who_administer_the_tenant(
    tenant: TenantClient,
    database: Database,
    admin: DashboardClient,
    mailbox: Mailbox,
    with_smtp: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    await dashboard_client(tenant, database, "member")
    told = await tell(database, tenant.tenant_id, title="<Nora> failed", enabled=WITH_EMAIL)
    assert await deliveries(tenant, told, "&channel=email") == [["email", "queued", 0, None]]
    await run_jobs(with_smtp)
    assert await deliveries(tenant, told, "&channel=email") == [["email", "sent", 1, None]]
    (mail,) = mailbox.messages
    assert (mail["To"], mail["Subject"]) == (admin.email, "<Nora> failed")
    plain, html = (_body(mail, kind) for kind in ("plain", "html"))
    link = mail["List-Unsubscribe"].strip("<>")
    assert link.startswith(f"{with_smtp.public_url}/mail-choices?reader=")
    assert "<Nora> failed." in plain
    assert link in plain
    assert "&lt;Nora&gt; failed." in html
    assert f'href="{link}"' in html


def _body(mail: EmailMessage, kind: str) -> str:
    part = mail.get_body((kind,))
    assert part is not None
    content: str = part.get_content()
    return content


async def test_a_capped_category_is_mailed_once_in_24_hours(
    tenant: TenantClient, database: Database, admin: DashboardClient
) -> None:
    first = await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    second = await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    assert len(await deliveries(tenant, first, "&channel=email")) == 1
    assert await deliveries(tenant, second) == [["in_app", "sent", 1, None]]
    async with database.system_session() as session:
        await session.execute(
            text("UPDATE notification_occasions SET told_at = told_at - interval '24 hours'")
        )
    third = await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    assert len(await deliveries(tenant, third, "&channel=email")) == 1


async def test_another_category_and_another_tenant_have_caps_of_their_own(
    tenant: TenantClient,
    other_tenant: TenantClient,
    database: Database,
    admin: DashboardClient,
) -> None:
    await dashboard_client(other_tenant, database, "admin")
    await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    other = await tell(database, tenant.tenant_id, "agent.degraded", enabled=WITH_EMAIL)
    foreign = await tell(database, other_tenant.tenant_id, enabled=WITH_EMAIL)
    assert len(await deliveries(tenant, other, "&channel=email")) == 1
    assert len(await deliveries(other_tenant, foreign, "&channel=email")) == 1


async def test_a_category_without_a_cap_is_mailed_each_time(
    tenant: TenantClient, database: Database, admin: DashboardClient
) -> None:
    for _ in range(2):
        told = await tell(database, tenant.tenant_id, "system.maintenance", enabled=WITH_EMAIL)
        assert len(await deliveries(tenant, told, "&channel=email")) == 1


async def test_a_member_can_ask_for_mails_and_an_admin_can_do_without(
    tenant: TenantClient, database: Database, admin: DashboardClient
) -> None:
    member = await dashboard_client(tenant, database, "member")
    for who, is_mailed in ((member, True), (admin, False)):
        wanted = {"event_category": "agent.failed", "email_enabled": is_mailed}
        answer = await who.request("PUT", f"{FEED}/preferences/me", json=wanted)
        assert answer.status_code == 200, answer.text
    await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    async with database.system_session() as session:
        mailed = await session.scalars(
            text("SELECT user_id FROM notification_deliveries WHERE channel = 'email'")
        )
    assert mailed.all() == [member.user_id]


async def test_an_unconfirmed_address_gets_no_mail(
    tenant: TenantClient, database: Database, admin: DashboardClient
) -> None:
    async with database.system_session() as session:
        await session.execute(text("UPDATE users SET email_confirmed_at = NULL"))
    told = await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    assert await deliveries(tenant, told) == [["in_app", "sent", 1, None]]


async def test_a_refused_mail_is_tried_again_and_given_up_in_the_end(
    tenant: TenantClient,
    database: Database,
    admin: DashboardClient,
    with_refusing_smtp: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    told = await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    for attempt in range(1, len(RETRIES_AFTER) + 1):
        await run_jobs(with_refusing_smtp)
        assert await deliveries(tenant, told, "&channel=email") == [
            ["email", "queued", attempt, MAIL_NOT_ACCEPTED]
        ]
    await run_jobs(with_refusing_smtp)
    tries = len(RETRIES_AFTER) + 1
    assert await deliveries(tenant, told, "&status=failed") == [
        ["email", "failed", tries, MAIL_NOT_ACCEPTED]
    ]


async def test_who_has_left_gets_no_mail_any_more(
    tenant: TenantClient,
    database: Database,
    admin: DashboardClient,
    mailbox: Mailbox,
    with_smtp: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    told = await tell(database, tenant.tenant_id, enabled=WITH_EMAIL)
    left = await tenant.request("DELETE", f"/v1/members/{admin.user_id}")
    assert left.status_code == 200, left.text
    await run_jobs(with_smtp)
    assert mailbox.messages == []
    assert await deliveries(tenant, told, "&channel=email") == [["email", "failed", 1, HAS_LEFT]]


async def test_a_test_goes_where_it_is_asked_to_as_far_as_preferences_allow(
    tenant: TenantClient, database: Database, admin: DashboardClient
) -> None:
    for wanted, channels in (
        ({}, ["email", "in_app"]),
        ({"requested_channels": ["in_app"]}, ["in_app"]),
        ({"requested_channels": ["email"]}, ["email"]),
        ({"requested_channels": []}, []),
        ({"requested_channels": [], "force_channels": ["email"]}, ["email"]),
        ({"event_category": "agent.published"}, ["in_app"]),
        ({"event_category": "agent.published", "force_channels": ["email"]}, ["email", "in_app"]),
    ):
        answer = await tenant.post(f"{FEED}/test", wanted)
        assert answer.status_code == 200, answer.text
        assert answer.json()["success"] is True
        await read_facts(database, WITH_EMAIL)
        made = await deliveries(tenant, answer.json()["jobId"])
        assert sorted(str(row[0]) for row in made) == channels, wanted


async def test_a_forced_test_is_shown_whatever_preferences_say(
    tenant: TenantClient, database: Database, admin: DashboardClient
) -> None:
    hidden = {"event_category": "billing.low_balance", "in_app_enabled": False}
    assert (await tenant.request("PUT", f"{FEED}/preferences", json=hidden)).status_code == 200
    plain = (await tenant.post(f"{FEED}/test")).json()["jobId"]
    forced = (await tenant.post(f"{FEED}/test", {"force_channels": ["in_app"]})).json()["jobId"]
    await read_facts(database)
    shown = {entry["id"] for entry in (await tenant.get(FEED)).json()["data"]}
    assert forced in shown
    assert plain not in shown


async def test_the_status_names_the_channels_of_the_installation(
    tenant: TenantClient, admin: DashboardClient
) -> None:
    answer = (await tenant.get(f"{FEED}/status")).json()
    assert answer["queue_enabled"] is True
    assert answer["channels"] == {"in_app": True, "email": False, "sms": False, "webhook": True}
    assert answer["preference_scope"] == "tenant"
    assert len(answer["warnings"]) == 2
    assert (await admin.get(f"{FEED}/status")).json()["preference_scope"] == "user"
