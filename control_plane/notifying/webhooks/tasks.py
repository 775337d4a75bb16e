"""Jobs of webhooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from procrastinate import JobContext

from control_plane.notifying.webhooks.alert import alert_mail
from control_plane.notifying.webhooks.delivering import delivery_repository
from control_plane.notifying.webhooks.delivery_log import repository as log
from control_plane.platform.job_queue import ONLY_IF_STOPPED, database_of, job_queue, settings_of
from control_plane.platform.mail.mailer import Mailer

KEPT = timedelta(days=30)
_DELETED_TOGETHER = 2_000


@job_queue.task(name="webhooks.send_alert", pass_context=True, retry=ONLY_IF_STOPPED)
async def send_alert(context: JobContext, *, delivery_id: str) -> None:
    """Mail to the webhook's ``alert_email`` that all tries of a delivery have failed."""
    settings = settings_of(context)
    async with database_of(context).system_session() as session:
        found = await log.with_webhook(session, UUID(delivery_id))
    if found is None or found[1].alert_email is None:
        return
    delivery, webhook, last = found
    mailer = Mailer(settings.smtp, settings.mail_outbox_dir)
    await mailer.send(alert_mail(webhook, delivery, last, settings.public_url))


@job_queue.periodic(cron="17 * * * *")
@job_queue.task(
    name="webhooks.delete_expired", pass_context=True, queueing_lock="delete_expired_deliveries"
)
async def delete_expired(context: JobContext, timestamp: int) -> None:
    """Delete the deliveries of facts that are older than ``KEPT``, with their tries."""
    deleted = _DELETED_TOGETHER
    while deleted == _DELETED_TOGETHER:
        async with database_of(context).system_session() as session:
            deleted = await delivery_repository.delete_expired(
                session, datetime.now(UTC) - KEPT, _DELETED_TOGETHER
            )
