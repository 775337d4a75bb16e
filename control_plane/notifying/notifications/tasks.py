"""Jobs of notifications."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from procrastinate import JobContext

from control_plane.notifying.notifications import delivery_repository as deliveries
from control_plane.notifying.notifications import repository
from control_plane.notifying.notifications.mails import notification_mail
from control_plane.notifying.notifications.models import DeliveryStatus
from control_plane.platform.job_queue import (
    PATIENT_QUEUE,
    database_of,
    enqueue,
    job_queue,
    settings_of,
)
from control_plane.platform.mail.mailer import Mailer

KEPT = timedelta(days=90)
_DELETED_TOGETHER = 2_000
RETRIES_AFTER = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
"""A mail that no server accepts is tried again after each of these."""
NOT_ACCEPTED = "The mail server did not accept the mail, or could not be reached."
HAS_LEFT = "The member has left."


@job_queue.task(name="notifications.send_mail", pass_context=True, queue=PATIENT_QUEUE)
async def send_mail(context: JobContext, *, delivery_id: str) -> None:
    """Send one mail, if it is still to be sent."""
    database, settings, mail_id = database_of(context), settings_of(context), UUID(delivery_id)
    async with database.system_session() as session:
        found = await deliveries.outgoing(session, mail_id)
        if found is None:
            return
        delivery, notification = found
        assert delivery.user_id is not None, "a mail has a recipient"
        to = await deliveries.address_of(session, delivery.tenant_id, delivery.user_id)
    if to is None:
        async with database.system_session() as session:
            await deliveries.note_attempt(session, mail_id, DeliveryStatus.FAILED, HAS_LEFT)
        return
    mailer = Mailer(settings.smtp, settings.mail_outbox_dir)
    mail = notification_mail(to, notification, public_url=settings.public_url, mail_id=mail_id)
    was_sent = await mailer.send(mail)
    async with database.system_session() as session:
        if was_sent:
            await deliveries.note_attempt(session, mail_id, DeliveryStatus.SENT, None)
        elif delivery.attempt_count < len(RETRIES_AFTER):
            await deliveries.note_attempt(session, mail_id, DeliveryStatus.QUEUED, NOT_ACCEPTED)
            wait = RETRIES_AFTER[delivery.attempt_count]
            await enqueue(session, send_mail, not_within=wait, delivery_id=delivery_id)
        else:
            await deliveries.note_attempt(session, mail_id, DeliveryStatus.FAILED, NOT_ACCEPTED)


@job_queue.periodic(cron="41 * * * *")
@job_queue.task(
    name="notifications.delete_old", pass_context=True, queueing_lock="delete_old_notifications"
)
async def delete_old(context: JobContext, timestamp: int) -> None:
    """Delete the notifications that are older than ``KEPT``, with their deliveries."""
    deleted = _DELETED_TOGETHER
    while deleted == _DELETED_TOGETHER:
        async with database_of(context).system_session() as session:
            deleted = await repository.delete_older(
                session, datetime.now(UTC) - KEPT, _DELETED_TOGETHER
            )
