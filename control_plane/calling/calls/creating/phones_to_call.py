"""Which phones a request wants called, whether they may be, and from which number each is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.creating.caller_id import CallerId, resolve_caller_id
from control_plane.calling.calls.schemas import ParticipantInput
from control_plane.calling.do_not_call.errors import NumberOnDoNotCallList
from control_plane.calling.do_not_call.repository import listed_numbers


async def caller_ids(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    participants: Sequence[ParticipantInput],
    carriers: Collection[str],
) -> dict[int, CallerId]:
    """By position among ``participants``, from which number each phone is called.

    Args:
        participants: with phone numbers in E.164.
        carriers: those that the installation has.

    Raises:
        NumberOnDoNotCallList: one must not be called.
        InvalidRequest: one cannot be called.
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
        position: await resolve_caller_id(
            session,
            tenant_id,
            agent_id,
            participant.from_number,
            carriers,
            f"participants[{position}]",
        )
        for position, participant in phones.items()
    }
