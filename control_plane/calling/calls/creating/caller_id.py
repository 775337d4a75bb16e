"""The caller id of each phone in a new call: which of the tenant's numbers it is called from."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.schemas import ParticipantInput
from control_plane.calling.do_not_call.errors import NumberOnDoNotCallList
from control_plane.calling.do_not_call.repository import listed_numbers
from control_plane.calling.numbers.models import Number
from control_plane.calling.numbers.repository import numbers_of
from control_plane.platform.errors import InvalidRequest


@dataclass(frozen=True)
class CallerId:
    number: str
    """E.164."""
    carrier: str
    """The carrier for calls from this number."""


async def caller_ids(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    participants: Sequence[ParticipantInput],
    carriers: Collection[str],
) -> dict[int, CallerId]:
    """The caller id of each phone, by its position in ``participants``.

    Args:
        participants: their phone numbers are in E.164.
        carriers: those that the installation has (``DialingSettings.carriers``).

    Raises:
        NumberOnDoNotCallList: a phone must not be called.
        InvalidRequest: there is no carrier, the number is not the tenant's, or none can be chosen.
    """
    phones = {
        position: participant
        for position, participant in enumerate(participants)
        if participant.transport == "pstn"
    }
    if not phones:
        return {}
    listed = await listed_numbers(session, tenant_id, {each.identity for each in phones.values()})
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
    return {
        position: await _resolved(
            session,
            tenant_id,
            agent_id,
            participant.from_number,
            carriers,
            f"participants[{position}]",
        )
        for position, participant in phones.items()
    }


async def _resolved(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    from_number: str | None,
    carriers: Collection[str],
    where: str,
) -> CallerId:
    """The number that the agent's call to one participant is made from.

    Args:
        from_number: what the request names, E.164; ``None`` to choose.
        carriers: those that the installation has (``DialingSettings.carriers``).
        where: path of the participant in the request, such as ``participants[0]``.

    Raises:
        InvalidRequest: there is no carrier, the number is not the tenant's, or none can be chosen.
    """
    if not carriers:
        raise InvalidRequest.at(
            f"{where}.transport",
            "the phone channel has no carrier connected yet; use 'webrtc'",
        )
    chosen = choose_caller_id(await numbers_of(session, tenant_id), agent_id, from_number, carriers)
    if isinstance(chosen, str):
        raise InvalidRequest.at(f"{where}.from_number", chosen)
    return chosen


def choose_caller_id(
    numbers: Sequence[Number], agent_id: UUID, wanted: str | None, carriers: Collection[str]
) -> CallerId | str:
    """The caller id, or a sentence that tells why there is none. Pure.

    A wanted number must belong to the tenant. If none is wanted, the choice is the agent's oldest
    number, then the tenant's default, then its only number.
    """
    usable = {
        number.number: CallerId(number.number, number.carrier)
        for number in numbers
        if number.carrier is not None and number.carrier in carriers
    }
    if wanted is not None:
        if not any(number.number == wanted for number in numbers):
            return f"{wanted} is not one of your numbers; leave it out to use your default"
        return usable.get(wanted) or f"{wanted} is not connected to a carrier of this installation"
    if not usable:
        return "you have no number to call from; ask the operator of this installation for one"
    candidates = [number for number in numbers if number.number in usable]
    preferred = [n for n in candidates if n.agent_id == agent_id] or [
        n for n in candidates if n.is_default
    ]
    if not preferred and len(candidates) > 1:
        return "you have several numbers and none is the default; name the one to call from"
    return usable[(preferred or candidates)[0].number]
