"""Jobs of spend alerts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import structlog
from procrastinate import JobContext

from control_plane.money.spend_alerts import repository
from control_plane.money.spend_alerts.mails import alert_mail
from control_plane.money.spend_alerts.rules import alerts_of
from control_plane.platform.database import Database
from control_plane.platform.job_queue import (
    ONLY_IF_STOPPED,
    PATIENT_QUEUE,
    database_of,
    enqueue,
    job_queue,
    settings_of,
)
from control_plane.platform.mail.mailer import Mailer

RETRIES_AFTER = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
"""A mail that no server accepts is tried again after each of these."""
_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="* * * * *")
@job_queue.task(name="spend_alerts.watch", pass_context=True, queueing_lock="watch_spending")
async def watch(context: JobContext, timestamp: int) -> None:
    """Raise what is due for the tenants that spent something in the last hour."""
    await watch_spending(database_of(context), datetime.now(UTC))


async def watch_spending(database: Database, now: datetime) -> None:
    async with database.system_session() as session:
        spent = await repository.tenants_that_spent(session, now)
    for tenant_id, hour_micros in spent.items():
        async with database.system_session() as session:
            spending = await repository.spending_of(session, tenant_id, hour_micros, now)
            if spending is None:
                continue
            wanted = await repository.settings_of(session, tenant_id)
            raised = await repository.raise_alerts(
                session, tenant_id, alerts_of(spending, wanted, now)
            )
            if not raised or not wanted.email_enabled:
                continue
            people = await repository.administrators(session, tenant_id)
            for alert in raised:
                for user_id, _ in people:
                    await enqueue(
                        session,
                        send_mail,
                        alert_id=str(alert.id),
                        user_id=str(user_id),
                        mail_id=str(uuid4()),
                    )


@job_queue.task(
    name="spend_alerts.send_mail",
    pass_context=True,
    queue=PATIENT_QUEUE,
    retry=ONLY_IF_STOPPED,
)
async def send_mail(
    context: JobContext, *, alert_id: str, user_id: str, mail_id: str, tries: int = 0
) -> None:
    """Send one alert to one person, who still manages the tenant."""
    database, settings = database_of(context), settings_of(context)
    async with database.system_session() as session:
        alert = await repository.find(session, UUID(alert_id))
        if alert is None:
            return
        people = dict(await repository.administrators(session, alert.tenant_id))
    to = people.get(UUID(user_id))
    if to is None:
        return
    mailer = Mailer(settings.smtp, settings.mail_outbox_dir)
    mail = alert_mail(to, alert, public_url=settings.public_url, mail_id=UUID(mail_id))
    if await mailer.send(mail) or not mailer.sends_mail:
        return
    if tries == len(RETRIES_AFTER):
        _log.error("spend_alert_not_mailed", alert_id=alert_id)
        return
    async with database.system_session() as session:
        await enqueue(
            session,
            send_mail,
            not_within=RETRIES_AFTER[tries],
            alert_id=alert_id,
            user_id=user_id,
            mail_id=mail_id,
            tries=tries + 1,
        )
