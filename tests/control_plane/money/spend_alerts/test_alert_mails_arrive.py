"""From a saved threshold to the mail in somebody's mailbox, through the jobs and over SMTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from control_plane.money.spend_alerts.tasks import RETRIES_AFTER, watch_spending
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.money.spend_alerts.test_spend_alerts_api import save, spend
from tests.control_plane.platform.mail.test_mailer import Mailbox

RunJobs = Callable[[ControlPlaneSettings], Awaitable[None]]


async def test_whoever_manages_the_tenant_reads_once_what_was_spent(
    tenant: TenantClient,
    database: Database,
    mailbox: Mailbox,
    with_smtp: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    admin = await dashboard_client(tenant, database, "admin")
    await dashboard_client(tenant, database, "member")
    await save(tenant, email_enabled=True, thresholds_usd=[0.5], low_balance_pct=0)
    await spend(database, tenant, 600_000)
    for _ in range(2):
        await watch_spending(database, datetime.now(UTC))
        await run_jobs(with_smtp)
    assert sorted(mail["To"] for mail in mailbox.messages) == sorted([owner.email, admin.email])
    for mail in mailbox.messages:
        assert mail["Subject"] == "Calls have cost $0.60 this month"
        text = mail.get_content()
        assert "You asked to be told when they have cost $0.50." in text
        assert f"{with_smtp.public_url}/console/billing" in text


async def test_a_mail_that_is_refused_is_tried_again_and_arrives_once(
    tenant: TenantClient,
    database: Database,
    mailbox: Mailbox,
    with_smtp: ControlPlaneSettings,
    with_refusing_smtp: ControlPlaneSettings,
    run_jobs: RunJobs,
) -> None:
    await dashboard_client(tenant, database, "owner")
    await save(tenant, email_enabled=True, thresholds_usd=[0.5], low_balance_pct=0)
    await spend(database, tenant, 600_000)
    await watch_spending(database, datetime.now(UTC))
    for _ in RETRIES_AFTER:
        await run_jobs(with_refusing_smtp)
    assert mailbox.messages == []
    for _ in range(2):
        await run_jobs(with_smtp)
    assert len(mailbox.messages) == 1
