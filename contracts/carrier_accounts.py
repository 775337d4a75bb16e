"""Control plane → telephony bridge: the carrier accounts that calls run through, and where a
carrier reaches the bridge.

The bridge reads no database. The control plane keeps one document for each account in the hash
``redis_names.CARRIER_ACCOUNTS``, and writes it again when Redis has lost it. An account that is
deleted is removed from the hash; its webhooks are then refused.
"""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, PositiveInt

CarrierProvider = Literal["twilio", "telnyx", "plivo", "vonage"]

RefuseWith = Literal["sentence", "busy", "reject"]
"""What a caller hears whose call is refused: a recorded sentence, the carrier's busy signal, or
the carrier's own rejection."""


class CarrierAccount(BaseModel):
    """One account at a carrier. Bridges read it at every request of the carrier, so that a change
    counts at once."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    version: Literal[1] = 1
    account_id: UUID
    """Ours; it stands in every webhook address and chooses the secret that checks the signature."""
    revision: PositiveInt
    """Grows with every change of the account."""
    provider: CarrierProvider
    tenant_id: UUID | None
    """``None``: the installation's own account, for numbers that the operator gave."""
    sealed_credentials: str
    """The carrier's credentials as a JSON object, sealed (``contracts.sealing``) with the bridges'
    key, which opens nothing else."""
    refuse_with: RefuseWith = "sentence"


def voice_url(public_url: str, provider: str, account_id: UUID) -> str:
    """Where the carrier asks what to do with an inbound call, or with one that was answered.

    ``("https://phones.example.com", "twilio", …)`` →
    ``https://phones.example.com/carriers/twilio/{account_id}/voice``.
    """
    return f"{_account_url(public_url, provider, account_id)}/voice"


def status_url(public_url: str, provider: str, account_id: UUID) -> str:
    """Where the carrier reports how far a leg has come."""
    return f"{_account_url(public_url, provider, account_id)}/status"


def media_url(public_url: str, provider: str, account_id: UUID) -> str:
    """The websocket for a leg's audio: ``wss://…`` for a public address with ``https``."""
    url = f"{_account_url(public_url, provider, account_id)}/media"
    return "ws" + url.removeprefix("http")


def _account_url(public_url: str, provider: str, account_id: UUID) -> str:
    return f"{public_url.rstrip('/')}/carriers/{provider}/{account_id}"
