"""Choosing from the link in a mail, without a session."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from control_plane.notifying.notifications.mail_choices.link import (
    VALID_FOR,
    MailReader,
    link_of,
)
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import DashboardClient, dashboard_client

CATEGORY = "agent.failed"


@pytest.fixture
async def admin(tenant: TenantClient, database: Database) -> DashboardClient:
    return await dashboard_client(tenant, database, "admin")


def link(
    settings: ControlPlaneSettings,
    tenant: TenantClient,
    user: DashboardClient,
    *,
    mailed_at: datetime | None = None,
) -> str:
    """Path and query."""
    reader = MailReader(tenant.tenant_id, user.user_id, CATEGORY)
    return link_of("", reader, settings.secret_key, mailed_at or datetime.now(UTC))


async def mailed(user: DashboardClient) -> dict[str, bool]:
    """What the member has chosen themselves, by category."""
    answer = await user.request("GET", "/v1/notifications/preferences/me")
    return {row["event_category"]: row["email_enabled"] for row in answer.json()["data"]}


async def test_a_mail_program_unsubscribes_with_one_request_and_no_cookie(
    tenant: TenantClient, admin: DashboardClient, settings: ControlPlaneSettings
) -> None:
    one_click = {"List-Unsubscribe": "One-Click"}
    address = link(settings, tenant, admin)
    answer = await tenant.http.post(address, data=one_click)
    assert answer.status_code == 200, answer.text
    assert await mailed(admin) == {CATEGORY: False}
    answer = await tenant.http.post(
        address,
        content=b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\n'
        b"One-Click\r\n--x--\r\n",
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert answer.status_code == 200, answer.text


async def test_opening_the_link_changes_nothing_and_shows_nothing_of_the_account(
    tenant: TenantClient, admin: DashboardClient, settings: ControlPlaneSettings
) -> None:
    page = await tenant.http.get(link(settings, tenant, admin))
    assert page.status_code == 200
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert CATEGORY in page.text
    for private in (admin.email, str(admin.user_id), str(tenant.tenant_id)):
        assert private not in page.text
    assert await mailed(admin) == {}


async def test_all_mails_end_and_those_of_the_link_begin_again(
    tenant: TenantClient, admin: DashboardClient, settings: ControlPlaneSettings
) -> None:
    address = link(settings, tenant, admin)
    await tenant.http.post(f"{address}&wanted=none")
    assert set((await mailed(admin)).values()) == {False}
    assert len(await mailed(admin)) > 15
    await tenant.http.post(f"{address}&wanted=these")
    assert [name for name, wanted in (await mailed(admin)).items() if wanted] == [CATEGORY]


async def test_a_link_that_is_broken_or_old_changes_nothing_and_says_what_to_do(
    tenant: TenantClient, admin: DashboardClient, settings: ControlPlaneSettings
) -> None:
    then = datetime.now(UTC) - VALID_FOR - timedelta(minutes=1)
    old = await tenant.http.post(link(settings, tenant, admin, mailed_at=then))
    assert old.status_code == 410
    assert "older than 60 days" in old.text
    for broken in (link(settings, tenant, admin)[:-3], "/mail-choices", "/mail-choices?reader=x"):
        answer = await tenant.http.post(broken)
        assert answer.status_code == 400, broken
        assert "not the whole link" in answer.text
    assert await mailed(admin) == {}


async def test_a_link_for_somebody_who_is_no_member_changes_nothing(
    tenant: TenantClient, admin: DashboardClient, settings: ControlPlaneSettings
) -> None:
    stranger = MailReader(tenant.tenant_id, uuid4(), CATEGORY)
    address = link_of("", stranger, settings.secret_key, datetime.now(UTC))
    assert (await tenant.http.post(address)).status_code == 200
    assert await mailed(admin) == {}
