"""Telephony bridge ↔ control plane: somebody calls one of our numbers.

The bridge has checked the carrier's signature. It writes an ``InboundCall`` to
``redis_names.INBOUND_CALLS`` and waits on the list ``redis_names.reply(request_id)`` for the one
``InboundReply``. The control plane creates the call and has offered it to the workers when it
answers. It answers the same ``carrier_call_id`` of an account with the same call, however often it
is asked, so a webhook that a carrier repeats makes one call.

From then on the leg is an attempt like those that we dial: bridges send a ``DialReport`` for each
stage (``answered`` once its audio has arrived, ``ended``), keep the newest one under
``redis_names.dial_attempt`` as a sign of life, and obey ``HangUpLeg``. An attempt without a bridge
for ``INBOUND_PATIENCE_SECONDS`` after the reply is lost.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from contracts.carrier_accounts import CarrierProvider

_FROZEN = ConfigDict(frozen=True, extra="forbid")

_Storable = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""Text without U+0000, which PostgreSQL does not store. A carrier's webhook may hold it."""

ANSWER_SECONDS = 2.0
"""A carrier waits 5 to 15 s for an answer. After this time the bridge gives up on the control plane
and refuses with ``UNAVAILABLE``."""
INBOUND_PATIENCE_SECONDS = 15
"""How long a carrier may take from our answer to the first frame of audio."""


class InboundCall(BaseModel):
    """Numbers as the carrier wrote them; the control plane brings them to E.164."""

    model_config = _FROZEN
    version: Literal[1] = 1
    request_id: UUID
    account_id: UUID
    provider: CarrierProvider
    carrier_call_id: Annotated[_Storable, Field(min_length=1, max_length=256)]
    """The carrier's id of the call, unique within the account."""
    from_number: Annotated[_Storable, Field(max_length=128)]
    """Empty if the caller withholds it."""
    to_number: Annotated[_Storable, Field(max_length=128)]
    bridge_id: _Storable
    answer_before: AwareDatetime
    """Nobody waits for an answer from then on. A call is not created after that."""


class InboundAdmitted(BaseModel):
    """The call exists, and a worker is being found for it."""

    model_config = _FROZEN
    type: Literal["admitted"] = "admitted"
    call_id: UUID
    tenant_id: UUID
    participant_id: UUID
    attempt_id: UUID
    telephony_leg_id: UUID
    from_number: str | None
    """E.164; ``None`` if it is withheld or is no phone number."""
    to_number: str
    """E.164."""


class InboundRefusal(StrEnum):
    """Why a call to one of our numbers is not taken. A bridge has a recorded sentence for each."""

    UNKNOWN_NUMBER = "unknown_number"
    """The account's owner has not registered the number here."""
    NO_AGENT = "no_agent"
    """No agent answers the number."""
    AGENT_UNAVAILABLE = "agent_unavailable"
    """The agent is paused, not published, or its provider's key is missing."""
    CALLS_DISABLED = "calls_disabled"
    """The operator has stopped calls, or suspended the tenant."""
    INSUFFICIENT_FUNDS = "insufficient_funds"
    BUSY = "busy"
    """Too many calls run: the tenant's, the number's or the installation's limit is reached."""
    UNAVAILABLE = "unavailable"
    """The control plane could not answer in time, or could not create the call."""


class InboundRefused(BaseModel):
    """``detail`` is for logs: what was wrong, in a sentence. A caller must not hear it."""

    model_config = _FROZEN
    type: Literal["refused"] = "refused"
    kind: InboundRefusal
    detail: str


InboundAnswer = Annotated[InboundAdmitted | InboundRefused, Field(discriminator="type")]


class InboundReply(BaseModel):
    model_config = _FROZEN
    version: Literal[1] = 1
    request_id: UUID
    body: InboundAnswer
