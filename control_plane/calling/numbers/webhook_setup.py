"""Letting a number's calls come to us: whose account it is in, and its webhook there.

It begins after the registration is committed, never undoes it, and is given three seconds. What
takes longer goes on in the background, and is stored when it is done."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

import structlog
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from carriers.account import AnyCredentials
from carriers.api import CarrierProblem, ProblemKind
from contracts.carrier_accounts import voice_url
from contracts.sealing import CannotOpen
from control_plane.calling.carriers import repository as accounts
from control_plane.calling.carriers.credentials import opened
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.carriers.service import UNREADABLE, CarrierAccounts
from control_plane.calling.numbers import repository
from control_plane.calling.numbers.models import Number
from control_plane.platform.errors import DatabaseUnavailable

SETUP_SECONDS = 3.0
OUR_FAULT = (
    "A fault of this installation has ended the set-up. Set the webhook again; if that fails too, "
    "tell the operator"
)
SetupStatus = Literal["configured", "manual_required", "failed", "no_carrier"]
_BY_HAND = frozenset({ProblemKind.NOT_ALLOWED, ProblemKind.NOT_FOUND, ProblemKind.REFUSED})
"""The number is in the account, and the carrier does not let us change its setting."""
_log = structlog.get_logger(__name__)
_running: set[asyncio.Task[object]] = set()
"""Set-ups that took too long for their request; the loop itself keeps no reference."""


@dataclass(frozen=True)
class Setup:
    """What came of it.

    Args:
        account: in which the number is, as far as is known.
        verified: the carrier says that the number is in the account.
    """

    status: SetupStatus
    account: CarrierAccountRecord | None = None
    webhook_url: str | None = None
    verified: bool = False
    error: str | None = None
    is_absent: bool = False
    """Every account was asked, and none has the number."""

    @property
    def provider(self) -> str | None:
        return None if self.account is None else self.account.provider


@dataclass(frozen=True)
class WebhookSetup:
    """
    Args:
        own: the accounts of the tenant.
        installation: those for numbers that the operator gave.
    """

    own: CarrierAccounts
    installation: CarrierAccounts

    async def run(self, number: Number, *, bind: bool) -> Setup:
        """Set up a number that is registered and committed, and store the result.

        Args:
            bind: whether inbound calls are to come to us; otherwise only the account is found.
        """
        setting_up = asyncio.create_task(self._set_up_and_keep(number, bind=bind))
        _running.add(setting_up)
        setting_up.add_done_callback(_running.discard)
        done, _ = await asyncio.wait({setting_up}, timeout=SETUP_SECONDS)
        if done:
            return setting_up.result()
        return Setup(
            "failed",
            error=f"The carrier has not answered within {SETUP_SECONDS:.0f} seconds; the set-up "
            "goes on, and the number shows its result",
        )

    async def unbind(self, number: Number) -> None:
        """Take our address out of a setting that is the number's own, within the same time."""
        async with self._accounts(number).transaction() as session:
            account = await self._account_of(session, number)
        webhooks = (
            None if account is None else self.own.access.webhooks(account.provider, account.id)
        )
        if account is None or webhooks is None:
            return
        try:
            credentials = opened(account.sealed_credentials, self.own.settings.sealer)
            async with asyncio.timeout(SETUP_SECONDS):
                await self.own.access.api(credentials).unbind_number(number.number, webhooks)
        except (CarrierProblem, CannotOpen, TimeoutError) as error:
            _log.warning("number_not_unbound", number=number.number, error=str(error))

    def _accounts(self, number: Number) -> CarrierAccounts:
        return self.installation if number.is_managed else self.own

    async def _account_of(
        self, session: AsyncSession, number: Number
    ) -> CarrierAccountRecord | None:
        if number.carrier_account_id is None:
            return None
        tenant_id = self._accounts(number).tenant_id
        return await accounts.find(session, tenant_id, number.carrier_account_id)

    async def _set_up_and_keep(self, number: Number, *, bind: bool) -> Setup:
        try:
            setup = await self._set_up(number, bind=bind)
        except DatabaseUnavailable:
            raise
        except Exception:  # noqa: BLE001 - the request may be over: then only the number tells
            _log.exception("number_setup_failed", number=number.number)
            setup = Setup("failed", error=OUR_FAULT)
        try:
            return await self._keep(number, setup, bind=bind)
        except IntegrityError:
            setup = Setup("failed", error=f"{number.number} belongs to another tenant")
            return await self._keep(number, setup, bind=bind)
        except DatabaseUnavailable:
            _log.warning("number_setup_not_stored", number=number.number)
            return setup

    async def _set_up(self, number: Number, *, bind: bool) -> Setup:
        owner = self._accounts(number)
        async with owner.transaction() as session:
            found = await accounts.accounts_of(session, owner.tenant_id)
        candidates = sorted(found, key=lambda each: each.id != number.carrier_account_id)
        if number.is_managed:
            candidates = [each for each in candidates if each.id == number.carrier_account_id]
        if not candidates:
            return Setup("no_carrier")
        problem: Setup | None = None
        for account in candidates:
            try:
                credentials = opened(account.sealed_credentials, owner.settings.sealer)
                if not await owner.access.api(credentials).owns_number(number.number):
                    continue
            except CannotOpen:
                problem = problem or Setup("failed", account, error=UNREADABLE)
                continue
            except CarrierProblem as refused:
                problem = problem or Setup(
                    "failed", account, self._url(account), error=refused.message
                )
                continue
            if not bind:
                return Setup("configured", account, self._url(account), verified=True)
            return await self._bind(owner, account, credentials, number.number)
        if problem is not None:
            return problem
        names = ", ".join(sorted({account.provider for account in candidates}))
        return Setup(
            "failed",
            candidates[0],
            self._url(candidates[0]),
            error=f"{number.number} is not in your account at {names}",
            is_absent=True,
        )

    async def _bind(
        self,
        owner: CarrierAccounts,
        account: CarrierAccountRecord,
        credentials: AnyCredentials,
        number: str,
    ) -> Setup:
        webhooks = owner.access.webhooks(account.provider, account.id)
        if webhooks is None:
            return Setup(
                "failed",
                account,
                verified=True,
                error="This installation has no address for carriers yet: the operator has to set "
                "SWITCHBOARD_BRIDGE_PUBLIC_URL",
            )
        try:
            credentials = await owner.prepared(account, credentials)
            await owner.access.api(credentials).bind_number(number, webhooks)
        except CannotOpen:
            return Setup("failed", account, verified=True, error=UNREADABLE)
        except CarrierProblem as problem:
            by_hand = problem.kind in _BY_HAND
            return Setup(
                "manual_required" if by_hand else "failed",
                account,
                webhooks.voice_url,
                verified=True,
                error=problem.message,
            )
        return Setup("configured", account, webhooks.voice_url, verified=True)

    def _url(self, account: CarrierAccountRecord) -> str | None:
        url = self.own.settings.bridge_public_url
        return None if url is None else voice_url(url, account.provider, account.id)

    async def _keep(self, number: Number, setup: Setup, *, bind: bool) -> Setup:
        """Store what was found.

        Raises:
            IntegrityError: another tenant has the number proved.
        """
        tenant_id: UUID = number.tenant_id
        async with self.own.database.tenant_session(tenant_id) as session:
            kept = await repository.locked(session, tenant_id, number.number)
            if kept is None:
                return setup  # Removed in the meantime.
            if setup.verified and setup.account is not None and not kept.is_managed:
                kept.carrier_account_id = setup.account.id
                kept.carrier = setup.account.provider
                kept.verified_by = "carrier"
            elif setup.is_absent and kept.verified_by == "carrier":
                kept.verified_by = None
            if bind and setup.status != "no_carrier":
                kept.webhook_status = setup.status
                kept.webhook_error = setup.error
        return setup
