"""Jobs of notifications."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from procrastinate import JobContext
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import delivery_repository as deliveries
from control_plane.notifying.notifications import (
    occasion_repository,
    repository,
)
from control_plane.notifying.notifications.mail_choices.link import MailReader, link_of
from control_plane.notifying.notifications.mails import notification_mail
from control_plane.notifying.notifications.models import DeliveryStatus, Notification
from control_plane.notifying.notifications.phones import phone_repository
from control_plane.notifying.notifications.signals import volume_repository
from control_plane.notifying.notifications.signals.summary_telling import tell_summaries
from control_plane.notifying.notifications.signals.volume import COMPARED_WITH
from control_plane.platform.batched_deletion import delete_in_batches
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
from control_plane.platform.sms.sender import SmsSender

KEPT = timedelta(days=90)
RETRIES_AFTER = (timedelta(minutes=1), timedelta(minutes=10), timedelta(hours=1))
"""A mail or an SMS that is not accepted is tried again after each of these."""
MAIL_NOT_ACCEPTED = "The mail server did not accept the mail, or could not be reached."
SMS_NOT_ACCEPTED = "The SMS service did not accept the message, or could not be reached."
HAS_LEFT = "The member has left."
HAS_NO_NUMBER = "The member has no confirmed number any more."


@job_queue.task(
    name="notifications.send_mail",
    pass_context=True,
    queue=PATIENT_QUEUE,
    retry=ONLY_IF_STOPPED,
)
async def send_mail(context: JobContext, *, delivery_id: str) -> None:
    """Send one mail, if it is still to be sent."""
    settings, mail_id = settings_of(context), UUID(delivery_id)

    async def send(notification: Notification, to: Recipient) -> bool:
        mailer = Mailer(settings.smtp, settings.mail_outbox_dir)
        reader = MailReader(notification.tenant_id, to.user_id, notification.event_category)
        choices_url = link_of(settings.public_url, reader, settings.secret_key, datetime.now(UTC))
        return await mailer.send(
            notification_mail(
                to.address,
                notification,
                public_url=settings.public_url,
                choices_url=choices_url,
                mail_id=mail_id,
            )
        )

    way = Way(send_mail, deliveries.address_of, send, HAS_LEFT, MAIL_NOT_ACCEPTED)
    await _attempt(database_of(context), mail_id, way)


@job_queue.task(
    name="notifications.send_sms",
    pass_context=True,
    queue=PATIENT_QUEUE,
    retry=ONLY_IF_STOPPED,
)
async def send_sms(context: JobContext, *, delivery_id: str) -> None:
    """Send one SMS, if it is still to be sent."""
    sender = SmsSender(settings_of(context).sms_url)

    async def send(notification: Notification, to: Recipient) -> bool:
        return await sender.send(to.address, f"{notification.title}: {notification.message}")

    way = Way(send_sms, phone_repository.number_of, send, HAS_NO_NUMBER, SMS_NOT_ACCEPTED)
    await _attempt(database_of(context), UUID(delivery_id), way)


@dataclass(frozen=True)
class Recipient:
    user_id: UUID
    address: str
    """A mail address or a phone number."""


@dataclass(frozen=True)
class Way:
    """How a delivery gets to one person."""

    job: Any
    """Makes the next attempt."""
    address_of: Callable[[AsyncSession, UUID, UUID], Awaitable[str | None]]
    """Of a tenant's user; ``None``: there is none any more."""
    send: Callable[[Notification, Recipient], Awaitable[bool]]
    without_address: str
    not_accepted: str


async def _attempt(database: Database, delivery_id: UUID, way: Way) -> None:
    """Make a delivery that is still to be made. No transaction waits for the service."""
    async with database.system_session() as session:
        found = await deliveries.outgoing(session, delivery_id)
        if found is None:
            return
        delivery, notification = found
        assert delivery.user_id is not None, "it has a recipient"
        to = await way.address_of(session, delivery.tenant_id, delivery.user_id)
    was_sent = to is not None and await way.send(notification, Recipient(delivery.user_id, to))
    async with database.system_session() as session:
        if to is None:
            await deliveries.note_attempt(
                session, delivery_id, DeliveryStatus.FAILED, way.without_address
            )
        elif was_sent:
            await deliveries.note_attempt(session, delivery_id, DeliveryStatus.SENT, None)
        elif delivery.attempt_count < len(RETRIES_AFTER):
            await deliveries.note_attempt(
                session, delivery_id, DeliveryStatus.QUEUED, way.not_accepted
            )
            wait = RETRIES_AFTER[delivery.attempt_count]
            await enqueue(session, way.job, not_within=wait, delivery_id=str(delivery_id))
        else:
            await deliveries.note_attempt(
                session, delivery_id, DeliveryStatus.FAILED, way.not_accepted
            )


@job_queue.periodic(cron="41 * * * *")
@job_queue.task(
    name="notifications.delete_old", pass_context=True, queueing_lock="delete_old_notifications"
)
async def delete_old(context: JobContext, timestamp: int) -> None:
    """Delete the notifications that are older than ``KEPT``, with their deliveries, and what is
    not compared or told again any more."""
    now = datetime.now(UTC)
    async with database_of(context).system_session() as session:
        await volume_repository.delete_before(session, now - COMPARED_WITH - timedelta(days=1))
        await occasion_repository.delete_dated(session, now - KEPT)
    await delete_in_batches(database_of(context), repository.delete_older, now - KEPT)


@job_queue.periodic(cron="3 * * * *")
@job_queue.task(
    name="notifications.tell_summaries", pass_context=True, queueing_lock="tell_summaries"
)
async def tell_of_calls(context: JobContext, timestamp: int) -> None:
    """Tell every tenant what yesterday's calls came to, and last month's."""
    await tell_summaries(database_of(context), datetime.now(UTC))
