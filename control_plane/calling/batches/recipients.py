"""Checks which recipients of a batch can be called, and why the others cannot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.batches.schemas import BatchRequest, Recipient, RefusedRecipient
from control_plane.calling.calls.creating.caller_id import CallerId, choose_caller_id
from control_plane.calling.dialing.errors import NeverDialable
from control_plane.calling.dialing.schedule import Openings
from control_plane.calling.dialing.service import first_dialing
from control_plane.calling.do_not_call.repository import listed_numbers
from control_plane.calling.numbers.models import Number
from control_plane.calling.numbers.phone_number import e164
from control_plane.calling.numbers.repository import numbers_of
from control_plane.calling.telecom.errors import PhoneCountryNotAllowed, PhoneRateAboveCeiling
from control_plane.calling.telecom.limits import NumberLimits
from control_plane.calling.telecom.price_list import PriceList
from control_plane.calling.telecom.repository import settings_of
from control_plane.platform.settings import DialingSettings


class _Refused(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


async def check_recipients(
    session: AsyncSession,
    tenant_id: UUID,
    wanted: BatchRequest,
    dialing: DialingSettings,
    now: datetime,
) -> tuple[dict[int, Recipient], list[RefusedRecipient]]:
    """The recipients to call, by index and with numbers in E.164, and the refused recipients."""
    accepted: dict[int, Recipient] = {}
    refused: list[RefusedRecipient] = []
    numbers = await numbers_of(session, tenant_id)
    limits = NumberLimits.of(await settings_of(session, tenant_id), numbers)
    written = [_read(recipient.to) for recipient in wanted.recipients]
    readable = {number for number in written if not isinstance(number, _Refused)}
    listed = await listed_numbers(session, tenant_id, readable)
    prices = PriceList(session, readable, now)
    seen: set[str] = set()
    openings = Openings(now)
    for index, recipient in enumerate(wanted.recipients):
        try:
            number = _callable_number(written[index], listed, seen)
            caller_id = _caller_id(recipient, wanted, numbers, dialing)
            await _check_limits(limits, prices, caller_id, number)
            await _check_schedule(recipient, wanted, number, openings)
        except _Refused as why:
            refused.append(
                RefusedRecipient(index=index, to=recipient.to, code=why.code, message=why.message)
            )
            continue
        seen.add(number)
        called = {"to": number, "from_number": caller_id.number}
        accepted[index] = recipient.model_copy(update=called)
    return accepted, refused


def _read(text: str) -> str | _Refused:
    try:
        return e164(text)
    except ValueError as error:
        return _Refused("invalid_phone_number", str(error))


def _callable_number(number: str | _Refused, listed: Collection[str], seen: Collection[str]) -> str:
    if isinstance(number, _Refused):
        raise number
    if number in listed:
        raise _Refused("number_on_do_not_call_list", f"{number} is on your do-not-call list")
    if number in seen:
        raise _Refused("duplicate_recipient", f"{number} is already in this batch")
    return number


def _caller_id(
    recipient: Recipient,
    wanted: BatchRequest,
    numbers: Sequence[Number],
    dialing: DialingSettings,
) -> CallerId:
    text = recipient.from_number or wanted.from_number
    try:
        named = None if text is None else e164(text)
    except ValueError as error:
        raise _Refused("no_caller_id", f"from_number {error}") from None
    chosen = choose_caller_id(numbers, wanted.agent_id, named, dialing)
    if isinstance(chosen, str):
        raise _Refused("no_caller_id", chosen)
    return chosen


async def _check_limits(
    limits: NumberLimits, prices: PriceList, caller_id: CallerId, number: str
) -> None:
    """Those that concern one number. ``create_call`` checks them as well, but would refuse the
    whole batch for its first recipient."""
    price = None
    if limits.rate_ceiling_micros_per_minute is not None and caller_id.account_id is not None:
        price = await prices.price_of(caller_id.carrier, number)
    try:
        limits.check(number, price)
    except (PhoneCountryNotAllowed, PhoneRateAboveCeiling) as problem:
        raise _Refused(problem.code, problem.detail) from None


async def _check_schedule(
    recipient: Recipient, wanted: BatchRequest, number: str, openings: Openings
) -> None:
    try:
        await first_dialing(recipient.schedule or wanted.schedule, number, openings)
    except NeverDialable as error:
        raise _Refused("never_dialable", str(error)) from None
