"""Jobs of webhooks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from procrastinate import JobContext, RetryStrategy

from control_plane.notifying.webhooks.alert import alert_mail
from control_plane.notifying.webhooks.delivering import delivery_repository
from control_plane.notifying.webhooks.delivery_log import repository as log
from control_plane.platform.batched_deletion import delete_in_batches
from control_plane.platform.job_queue import database_of, job_queue, settings_of
from control_plane.platform.mail.mailer import Mailer

KEPT = timedelta(days=30)
MAILED_AGAIN = RetryStrategy(max_attempts=2, exponential_wait=60)
"""After a minute, and after an hour."""


class AlertNotMailed(Exception):
    """The mail server did not accept the alert, or could not be reached. The log has the reason."""


@job_queue.task(name="webhooks.send_alert", pass_context=True, retry=MAILED_AGAIN)
async def send_alert(context: JobContext, *, delivery_id: str) -> None:
    """Mail to the webhook's ``alert_email`` that all tries of a delivery have failed. There is no
    other alert for an hour, so this one is tried again.

    Raises:
        AlertNotMailed: try again later.
    """
    settings = settings_of(context)
    async with database_of(context).system_session() as session:
        found = await log.with_webhook(session, UUID(delivery_id))
    if found is None or found[1].alert_email is None:
        return
    delivery, webhook, last = found
    mailer = Mailer(settings.smtp, settings.mail_outbox_dir)
    was_sent = await mailer.send(alert_mail(webhook, delivery, last, settings.public_url))
    if not was_sent and mailer.sends_mail:
        raise AlertNotMailed


@job_queue.periodic(cron="17 * * * *")
@job_queue.task(
    name="webhooks.delete_expired", pass_context=True, queueing_lock="delete_expired_deliveries"
)
async def delete_expired(context: JobContext, timestamp: int) -> None:
    """Delete the deliveries of facts that are older than ``KEPT``, with their tries."""
    before = datetime.now(UTC) - KEPT
    await delete_in_batches(database_of(context), delivery_repository.delete_expired, before)
