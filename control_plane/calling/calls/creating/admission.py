"""Call admission: checks of a request that need no records. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from control_plane.calling.calls.creating.stranger_content import check_content
from control_plane.calling.calls.errors import KeyScopeViolation
from control_plane.calling.calls.schemas import CallCreate, CallRequest, ParticipantInput
from control_plane.calling.numbers.phone_number import e164
from control_plane.identity.api_keys.countries import country_of
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller, PublishableScope


def check_request(caller: Caller, request: CallRequest) -> CallCreate:
    """The checked request: it names its agent, and its phone numbers are in E.164.

    Raises:
        InvalidRequest: a participant is malformed, or no agent is named.
        KeyScopeViolation: the publishable key does not permit the call.
    """
    agent_id = _agent_of(request, caller.publishable)
    participants = check_participants(request.participants)
    if caller.publishable is not None:
        check_content(request, caller.publishable.call_limits)
    if caller.publishable is not None and caller.publishable.phone_countries is not None:
        _check_countries(participants, caller.publishable.phone_countries)
    return CallCreate(
        agent_id=agent_id,
        participants=participants,
        metadata=request.metadata,
        variables=request.variables,
        locale=request.locale,
        post_call=request.post_call,
    )


def check_participants(participants: Sequence[ParticipantInput]) -> list[ParticipantInput]:
    """The participants with their phone numbers in E.164.

    Raises:
        InvalidRequest: a participant is malformed.
    """
    return [
        _checked(f"participants[{index}]", participant)
        for index, participant in enumerate(participants)
    ]


def _checked(where: str, participant: ParticipantInput) -> ParticipantInput:
    if participant.transport == "webrtc":
        if participant.from_number is not None:
            raise InvalidRequest.at(
                f"{where}.from_number", "is only for participants with transport 'pstn'"
            )
        return participant
    numbers = {"identity": _number(f"{where}.identity", participant.identity)}
    if participant.from_number is not None:
        numbers["from_number"] = _number(f"{where}.from_number", participant.from_number)
    return participant.model_copy(update=numbers)


def _number(where: str, text: str) -> str:
    try:
        return e164(text)
    except ValueError as error:
        raise InvalidRequest.at(where, str(error)) from None


def is_phone_call(request: CallRequest | CallCreate) -> bool:
    return any(participant.transport == "pstn" for participant in request.participants)


def _check_countries(participants: Sequence[ParticipantInput], permitted: frozenset[str]) -> None:
    for participant in participants:
        if participant.transport != "pstn":
            continue
        country = country_of(participant.identity)
        if country not in permitted:
            raise KeyScopeViolation(
                f"This publishable key calls numbers in {', '.join(sorted(permitted))} only, and "
                f"{participant.identity} is a number "
                + ("of no country." if country is None else f"in {country}.")
            )


def _agent_of(request: CallRequest, scope: PublishableScope | None) -> UUID:
    """The agent to call. Source of the rules for publishable keys: API spec, "Authentication" and
    "Limits"."""
    if scope is not None and is_phone_call(request):
        return _phone_agent(request, scope)
    if request.agent_id is None:
        raise InvalidRequest.at("agent_id", "is required")
    if scope is None:
        return request.agent_id
    check_web_scope(request.agent_id, scope)
    return request.agent_id


def check_web_scope(agent_id: UUID, scope: PublishableScope) -> None:
    """
    Raises:
        KeyScopeViolation: the publishable key does not permit calling the agent in a browser.
    """
    if "web" not in scope.channels:
        raise KeyScopeViolation("This publishable key does not permit the channel 'web'.")
    if scope.agent_ids is not None and agent_id not in scope.agent_ids:
        raise KeyScopeViolation("This publishable key does not permit this agent.")


def _phone_agent(request: CallRequest, scope: PublishableScope) -> UUID:
    if "phone" not in scope.channels or scope.phone_agent_id is None:
        raise KeyScopeViolation("This publishable key does not permit the channel 'phone'.")
    if len(request.participants) != 1:
        raise KeyScopeViolation(
            "A phone call with a publishable key must have exactly one participant, with transport "
            "'pstn'."
        )
    if request.participants[0].from_number is not None:
        raise KeyScopeViolation("A publishable key cannot choose from_number; leave it out.")
    if request.agent_id not in (None, scope.phone_agent_id):
        raise KeyScopeViolation(
            "A publishable key cannot choose the agent of a phone call; leave agent_id out."
        )
    return scope.phone_agent_id
