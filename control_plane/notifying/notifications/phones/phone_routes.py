"""``/v1/notifications/phone``: to which number the user wants SMS."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from fastapi import APIRouter

from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login.attempts import count_attempt
from control_plane.identity.authentication.dependencies import TenantSession, UserCaller
from control_plane.identity.authentication.refusals import USER_ONLY
from control_plane.notifying.notifications.phones import confirmation, phone_repository
from control_plane.notifying.notifications.phones.confirmation import SmsNotConfigured
from control_plane.notifying.notifications.schemas import (
    OwnPhone,
    PhoneCode,
    PhoneCodeSent,
    PhoneToConfirm,
    Success,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.sms.sender import SmsSender
from control_plane.platform.tenancy.caller import Caller

router = APIRouter(prefix="/v1/notifications/phone", tags=["notifications"])


@router.get("", responses=problems(*USER_ONLY))
async def get_phone(caller: UserCaller, session: TenantSession) -> OwnPhone:
    """Your own number in this tenant, and whether you have confirmed it."""
    phone = await phone_repository.find(session, caller.tenant_id, _user(caller))
    if phone is None:
        return OwnPhone(number=None, confirmed=False)
    return OwnPhone(number=phone.number, confirmed=phone.confirmed_at is not None)


@router.put("", responses=problems(*USER_ONLY, SmsNotConfigured, TooManyAttempts))
async def set_phone(
    wanted: PhoneToConfirm, caller: UserCaller, database: AppDatabase, settings: AppSettings
) -> PhoneCodeSent:
    """Set your number. A code is sent to it, which lasts 15 minutes; until you have sent it back,
    the number gets nothing else."""
    sender = SmsSender(settings.sms_url)
    if not sender.sends_sms:
        raise SmsNotConfigured
    user_id, now = _user(caller), datetime.now(UTC)
    await count_attempt(database, confirmation.counters_of_codes(caller.tenant_id, user_id), now)
    async with database.tenant_session(caller.tenant_id) as session:
        code = await confirmation.note_number(
            session, caller.tenant_id, user_id, wanted.number, now
        )
        record_change(session, caller, "notification_phone.set", target_id=user_id)
    # After the commit: no transaction waits for the service.
    was_sent = await sender.send(wanted.number, f"Your Switchboard code is {code}.")
    return PhoneCodeSent(number=wanted.number, code_sent=was_sent)


@router.put("/confirmation", responses=problems(*USER_ONLY, TooManyAttempts))
async def confirm_phone(given: PhoneCode, caller: UserCaller, database: AppDatabase) -> OwnPhone:
    """Confirm your number with the code that was sent to it."""
    user_id, now = _user(caller), datetime.now(UTC)
    await count_attempt(database, [confirmation.counter_of_tries(user_id)], now)
    async with database.tenant_session(caller.tenant_id) as session:
        number = await confirmation.confirm(session, caller.tenant_id, user_id, given.code, now)
        record_change(session, caller, "notification_phone.confirmed", target_id=user_id)
    return OwnPhone(number=number, confirmed=True)


@router.delete("", responses=problems(*USER_ONLY))
async def remove_phone(caller: UserCaller, session: TenantSession) -> Success:
    """Remove your number. Nothing is sent to it any more."""
    user_id = _user(caller)
    await phone_repository.remove(session, caller.tenant_id, user_id)
    record_change(session, caller, "notification_phone.removed", target_id=user_id)
    return Success()


def _user(caller: Caller) -> UUID:
    assert caller.actor.id is not None, "the actor of a session is a user"
    return caller.actor.id
