"""The caller id of each phone in a new call: which of the tenant's numbers it is called from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import PriceRow
from control_plane.calling.calls.schemas import ParticipantInput
from control_plane.calling.do_not_call.errors import NumberOnDoNotCallList
from control_plane.calling.do_not_call.repository import listed_numbers
from control_plane.calling.numbers.models import Number
from control_plane.calling.numbers.repository import numbers_of
from control_plane.calling.telecom.limits import check_phone_limits
from control_plane.calling.telecom.models import TelecomPrice
from control_plane.calling.telecom.price_list import PriceList
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.settings import DialingSettings


@dataclass(frozen=True)
class CallerId:
    number: str
    """E.164."""
    carrier: str
    """The carrier for calls from this number."""
    account_id: UUID | None = None
    """The account that places them; ``None`` for a carrier that needs none."""
    is_paid_by_us: bool = False
    """The account is the installation's, so the tenant pays for the minutes here."""
    price: TelecomPrice | None = None
    """Of a minute to the number that is called, where the installation has one."""

    @property
    def price_row(self) -> PriceRow | None:
        """What the tenant pays for a minute; ``None``: nothing here."""
        return self.price.row if self.is_paid_by_us and self.price is not None else None


async def caller_ids(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    participants: Sequence[ParticipantInput],
    dialing: DialingSettings,
) -> dict[int, CallerId]:
    """The caller id of each phone, by its position in ``participants``.

    Args:
        participants: their phone numbers are in E.164.

    Raises:
        NumberOnDoNotCallList: a phone must not be called.
        InvalidRequest: there is no carrier, the number is not the tenant's, or none can be chosen.
        PhoneCountryNotAllowed, PhoneRateAboveCeiling, PhoneDailySpendReached: the tenant's limits
            forbid it.
    """
    phones = {
        position: participant
        for position, participant in enumerate(participants)
        if participant.transport == "pstn"
    }
    if not phones:
        return {}
    called = {each.identity for each in phones.values()}
    listed = await listed_numbers(session, tenant_id, called)
    if listed:
        raise NumberOnDoNotCallList(
            errors=[
                {
                    "field": f"participants[{position}].identity",
                    "message": f"{participant.identity} is on your do-not-call list",
                }
                for position, participant in phones.items()
                if participant.identity in listed
            ]
        )
    numbers = await numbers_of(session, tenant_id)
    price_list = PriceList(session, called, datetime.now(UTC))
    resolved = {
        position: await _priced(
            price_list,
            _resolved(
                numbers,
                agent_id,
                participant.from_number,
                dialing,
                f"participants[{position}]",
            ),
            participant.identity,
        )
        for position, participant in phones.items()
    }
    prices = {phones[position].identity: each.price for position, each in resolved.items()}
    await check_phone_limits(session, tenant_id, numbers, prices)
    return resolved


async def _priced(price_list: PriceList, caller_id: CallerId, number: str) -> CallerId:
    """The caller id with the price of a minute to ``number``, E.164."""
    if caller_id.account_id is None:
        return caller_id
    return replace(caller_id, price=await price_list.price_of(caller_id.carrier, number))


def _resolved(
    numbers: Sequence[Number],
    agent_id: UUID,
    from_number: str | None,
    dialing: DialingSettings,
    where: str,
) -> CallerId:
    """The number that the agent's call to one participant is made from.

    Args:
        from_number: what the request names, E.164; ``None`` to choose.
        where: path of the participant in the request, such as ``participants[0]``.

    Raises:
        InvalidRequest: there is no carrier, the number is not the tenant's, or none can be chosen.
    """
    if not dialing.has_phones:
        raise InvalidRequest.at(
            f"{where}.transport",
            "the phone channel has no carrier connected yet; use 'webrtc'",
        )
    chosen = choose_caller_id(numbers, agent_id, from_number, dialing)
    if isinstance(chosen, str):
        raise InvalidRequest.at(f"{where}.from_number", chosen)
    return chosen


def choose_caller_id(
    numbers: Sequence[Number], agent_id: UUID, wanted: str | None, dialing: DialingSettings
) -> CallerId | str:
    """The caller id, or a sentence that tells why there is none. Pure.

    A wanted number must belong to the tenant. If none is wanted, the choice is the agent's oldest
    number, then the tenant's default, then its only number.
    """
    usable = {
        number.number: CallerId(
            number.number, number.carrier, number.carrier_account_id, bool(number.is_managed)
        )
        for number in numbers
        if number.carrier is not None and _is_usable(number, dialing)
    }
    if wanted is not None:
        if not any(number.number == wanted for number in numbers):
            return f"{wanted} is not one of your numbers; leave it out to use your default"
        return usable.get(wanted) or (
            f"{wanted} is not connected to a carrier yet: connect one (POST /v1/carriers), then "
            "set the number up (POST /v1/numbers/{number}/webhook)"
        )
    if not usable:
        return (
            "you have no number to call from: register one (POST /v1/numbers), or ask the operator "
            "of this installation for one"
        )
    candidates = [number for number in numbers if number.number in usable]
    preferred = [n for n in candidates if n.agent_id == agent_id] or [
        n for n in candidates if n.is_default
    ]
    if not preferred and len(candidates) > 1:
        return "you have several numbers and none is the default; name the one to call from"
    return usable[(preferred or candidates)[0].number]


def _is_usable(number: Number, dialing: DialingSettings) -> bool:
    if number.carrier_account_id is None:
        return number.carrier in dialing.carriers
    return dialing.connects_accounts and number.verified_by is not None
