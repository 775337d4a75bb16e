"""A carrier's request, and the proof that the carrier has sent it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


@dataclass(frozen=True)
class CarrierRequest:
    """A webhook, or the upgrade request of a media websocket (``GET`` without a body).

    Args:
        url: as the carrier called it, query included. Built from the configured public address
            and the raw path, never from ``Host`` or a forwarded header: a ``wss`` address for an
            upgrade.
        headers: names in lower case.
        body: the raw bytes.
    """

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes = b""


class SignatureFault(StrEnum):
    MISSING = "missing"
    WRONG = "wrong"
    """Not made with this account's secret, or not over this request."""
    TOO_OLD = "too_old"
    """Its time is too far from ours, in either direction."""
    WRONG_ACCOUNT = "wrong_account"
    """Signed rightly, for another account or application."""


class SignatureRefused(Exception):
    def __init__(self, fault: SignatureFault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.detail = detail


class Repeat(StrEnum):
    """What it means when a proof's ``once_key`` is seen a second time."""

    REPLAY = "replay"
    """The carrier never sends it twice. Refuse the request."""
    DUPLICATE = "duplicate"
    """The carrier sends again what was not answered in time. Answer it as the first time, and let
    it have no second effect."""


@dataclass(frozen=True)
class Proof:
    """The signature is right. Remember ``once_key`` for ``remember_seconds``."""

    once_key: str
    repeat: Repeat
    remember_seconds: int


@dataclass(frozen=True)
class UpgradeProof:
    """``token`` is the one-time token where the carrier brings it in the upgrade request.

    Where it is ``None``, the token comes with ``Started``; until then the stream has proved only
    which account it belongs to. ``once_key`` must be new if it is set.
    """

    token: str | None = field(repr=False)
    once_key: str | None = None
    remember_seconds: int = 0


class Signatures(Protocol):
    """The signatures of one account."""

    def check_webhook(self, request: CarrierRequest, now: float) -> Proof:
        """
        Args:
            now: seconds since 1970.

        Raises:
            SignatureRefused: answer with ``refused_status``, do nothing else.
        """
        ...

    def check_upgrade(self, request: CarrierRequest, now: float) -> UpgradeProof:
        """Before the websocket is accepted.

        Raises:
            SignatureRefused: do not accept it.
        """
        ...
