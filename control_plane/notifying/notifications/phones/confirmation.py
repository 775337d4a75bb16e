"""A member's phone number, which counts once its owner has sent back a code."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from http import HTTPStatus
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.login.attempts import Counter, Limit
from control_plane.identity.accounts.tokens import hash_of
from control_plane.notifying.notifications.phones import phone_repository as repository
from control_plane.platform.errors import InvalidRequest, Problem

CODE_LASTS = timedelta(minutes=15)
_DIGITS = 6
_CODES_OF_USER = Limit("sms code user", 5, 3600)
_CODES_OF_TENANT = Limit("sms code tenant", 20, 24 * 3600)
"""Each costs the operator an SMS."""
_TRIES_OF_USER = Limit("sms code try", 10, 3600)
"""Of a million codes, so few can be guessed that it is not worth it."""


class SmsNotConfigured(Problem):
    status = HTTPStatus.CONFLICT
    code = "sms_not_configured"
    title = "This installation sends no SMS"


def counters_of_codes(tenant_id: UUID, user_id: UUID) -> list[Counter]:
    """The member's first: what is refused to one must not count for the others."""
    return [_CODES_OF_USER.of(str(user_id)), _CODES_OF_TENANT.of(str(tenant_id))]


def counter_of_tries(user_id: UUID) -> Counter:
    return _TRIES_OF_USER.of(str(user_id))


async def note_number(
    session: AsyncSession, tenant_id: UUID, user_id: UUID, number: str, now: datetime
) -> str:
    """Keep a number that is not confirmed yet; returns the code to send to it."""
    code = f"{secrets.randbelow(10**_DIGITS):0{_DIGITS}}"
    await repository.put(
        session,
        tenant_id,
        user_id,
        number,
        code_hash=_hash(user_id, code),
        code_expires_at=now + CODE_LASTS,
    )
    return code


async def confirm(
    session: AsyncSession, tenant_id: UUID, user_id: UUID, code: str, now: datetime
) -> str:
    """Returns the number, which is confirmed now.

    Raises:
        InvalidRequest: the code is not the last one that was sent, or too old.
    """
    phone = await repository.find(session, tenant_id, user_id, to_change=True)
    is_right = (
        phone is not None
        and phone.code_hash is not None
        and phone.code_expires_at is not None
        and now < phone.code_expires_at
        and secrets.compare_digest(phone.code_hash, _hash(user_id, code))
    )
    if phone is None or not is_right:
        raise InvalidRequest.at("code", "is not the last code that was sent, or is too old")
    phone.confirmed_at = now
    phone.code_hash = phone.code_expires_at = None
    return phone.number


def _hash(user_id: UUID, code: str) -> bytes:
    return hash_of(f"{user_id}:{code}")
