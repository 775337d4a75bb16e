"""What we ask of a carrier's REST API."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from carriers.account import AnyCredentials
from carriers.answers import ApiCommand
from contracts.dial_outcome import DialOutcome


class ProblemKind(StrEnum):
    WRONG_CREDENTIALS = "wrong_credentials"
    ACCOUNT_SUSPENDED = "account_suspended"
    NOT_ALLOWED = "not_allowed"
    """The account may not do this: a country that is switched off, a missing right."""
    NO_CREDIT = "no_credit"
    """The account has no money left at the carrier."""
    NOT_FOUND = "not_found"
    """The number or application is not in the account."""
    RATE_LIMITED = "rate_limited"
    UNREACHABLE = "unreachable"
    """No connection, no answer in time, or the carrier answers that it has a fault itself."""
    REFUSED = "refused"
    """Everything else."""


class CarrierProblem(Exception):
    """The carrier did not do what it was asked. ``message`` is a sentence for a person, without
    secrets; ``code`` is the carrier's own error code, if it gave one."""

    def __init__(self, kind: ProblemKind, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.code = code


class DialRefused(CarrierProblem):
    """The carrier did not take the call. ``outcome`` is what that means for the attempt.

    With ``UNREACHABLE`` nobody knows: a carrier that was too slow may have taken it all the same.
    Then its webhooks come; answer them with ``Answers.hang_up``.
    """

    def __init__(self, outcome: DialOutcome, problem: CarrierProblem) -> None:
        super().__init__(problem.kind, problem.message, problem.code)
        self.outcome = outcome


@dataclass(frozen=True)
class WebhookAddresses:
    """Our addresses for one account. ``application_name`` tells our application at the carrier from
    others: it should name the installation, and is at most 60 characters long."""

    voice_url: str
    status_url: str
    application_name: str


class MachineDetection(StrEnum):
    OFF = "off"
    DETECT = "detect"
    """Say who answered, as early as possible."""
    DETECT_AND_WAIT = "detect_and_wait"
    """Say too when a machine's greeting is over (``MACHINE_READY``)."""


@dataclass(frozen=True)
class Dial:
    """Numbers are E.164.

    Args:
        reference: the same for a request that is sent again; a carrier that can will then not call
            twice. Letters, digits and hyphens.
        voice_url: is asked for an ``Answer`` when the phone is answered.
        status_url: gets every other event of the call. Telnyx has one address for all: there they
            come to ``voice_url`` too.
    """

    to_number: str
    from_number: str
    voice_url: str
    status_url: str
    ring_timeout_seconds: int
    reference: str
    machine_detection: MachineDetection = MachineDetection.OFF


class DtmfWay(StrEnum):
    """How keys are sent into a running call."""

    REST = "rest"
    """``CarrierApi.send_dtmf``."""
    TONES = "tones"
    """The carrier has no way: send the tones as sound (``dtmf_tones``)."""


class CarrierApi(Protocol):
    """The REST API of one account. Each request has a time limit.

    Every method raises ``CarrierProblem``.
    """

    async def verify(self) -> None:
        """The credentials are right and the account can make calls."""
        ...

    async def prepare_account(self, webhooks: WebhookAddresses) -> AnyCredentials:
        """Find, create or correct what all numbers of the account share.

        Returns:
            The credentials, with the ids and keys that were found or made. Store them before
            anything else is done: a key cannot be read a second time.
        """
        ...

    async def owns_number(self, number: str) -> bool:
        """The E.164 ``number`` is in the account."""
        ...

    async def bind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        """Let inbound calls of ``number`` come to us. Needs what ``prepare_account`` returned.

        Raises:
            CarrierProblem: ``NOT_FOUND``: the number is not in the account.
        """
        ...

    async def unbind_number(self, number: str, webhooks: WebhookAddresses) -> None:
        """Undo ``bind_number`` where the setting is the number's own and is still ours (Twilio).
        Elsewhere it does nothing: the application serves other numbers as well."""
        ...

    async def dial(self, dial: Dial) -> str:
        """Place a call.

        Returns:
            The carrier's id of the call.

        Raises:
            DialRefused: no call was placed.
        """
        ...

    async def hang_up(self, call_id: str) -> None:
        """End a call, whether it rings or is up. One that is over already is no problem."""
        ...

    async def send_dtmf(self, call_id: str, digits: str) -> None:
        """Where ``CarrierSpec.dtmf`` is ``REST``.

        Raises:
            CarrierProblem: ``REFUSED`` where it is not.
        """
        ...

    async def transfer(
        self, call_id: str, to_number: str, from_number: str, transfer_url: str
    ) -> None:
        """Connect the person on ``call_id`` with another phone; our stream of the call ends.

        Args:
            transfer_url: a carrier that asks what to do (Plivo) asks here; answer with
                ``Answers.connect_phone``.
        """
        ...

    async def run(self, commands: Sequence[ApiCommand]) -> None:
        """What an ``Answer`` asks for, in order. A call that is over already is no problem."""
        ...
