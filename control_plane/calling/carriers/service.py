"""Connecting, changing and removing accounts at carriers. No transaction waits for a carrier."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from redis.asyncio import Redis
from sqlalchemy.ext.asyncio import AsyncSession

from carriers.account import AnyCredentials, revealed
from carriers.api import CarrierProblem, ProblemKind
from carriers.registry import carrier_named
from contracts.sealing import CannotOpen
from control_plane.calling.carriers import publication, repository
from control_plane.calling.carriers.access import CarrierAccess
from control_plane.calling.carriers.credentials import checked, opened, sealed, shown
from control_plane.calling.carriers.errors import CarrierAccountNotFound
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.calling.carriers.one_set_up import one_set_up
from control_plane.calling.carriers.schemas import (
    CarrierAccountCreate,
    CarrierAccountUpdate,
    CarrierAccountView,
    CarrierVerification,
    InstallationCarrier,
)
from control_plane.calling.numbers import repository as numbers
from control_plane.platform.audit.recording import record_change
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller

UNREADABLE = (
    "The stored credentials cannot be decrypted with the keys of this installation: "
    "send them again with PATCH."
)


@dataclass(frozen=True)
class CarrierAccounts:
    """The accounts of one owner.

    Args:
        caller: the tenant whose accounts they are; ``None``: the installation, by its operator.
    """

    database: Database
    redis: Redis
    settings: ControlPlaneSettings
    access: CarrierAccess
    caller: Caller | None

    @property
    def tenant_id(self) -> UUID | None:
        return None if self.caller is None else self.caller.tenant_id

    def transaction(self) -> AbstractAsyncContextManager[AsyncSession]:
        if self.tenant_id is None:
            return self.database.system_session()
        return self.database.tenant_session(self.tenant_id)

    async def create(self, wanted: CarrierAccountCreate) -> CarrierVerification:
        """Store the account, then ask the carrier. What the carrier says does not undo it.

        Raises:
            InvalidRequest: the credentials are not those of the carrier.
        """
        credentials = checked(wanted.provider, wanted.credentials)
        spec = carrier_named(wanted.provider)
        assert spec is not None, "the schema allows the registered carriers"
        account = CarrierAccountRecord(
            id=uuid4(),
            tenant_id=self.tenant_id,
            provider=wanted.provider,
            name=wanted.name or spec.label,
            sealed_credentials=sealed(credentials, self.settings.sealer),
            refuse_with=wanted.refuse_with,
            revision=1,
        )
        async with self.transaction() as session:
            await repository.hold_accounts(session, self.tenant_id)
            has_default = await repository.has_default(session, self.tenant_id)
            account.is_default = not has_default if wanted.is_default is None else wanted.is_default
            if account.is_default:
                await repository.clear_default(session, self.tenant_id)
            session.add(account)
            await session.flush()
            self._record(session, "carrier.connected", account, {"provider": account.provider})
        await publication.publish(self.redis, account, self.settings)
        return await self.verify(account.id)

    async def update(self, account_id: UUID, wanted: CarrierAccountUpdate) -> CarrierAccountView:
        """
        Raises:
            CarrierAccountNotFound: there is no such account.
            InvalidRequest: the credentials are not those of the account's carrier.
        """
        async with self.transaction() as session:
            await repository.hold_accounts(session, self.tenant_id)
            account = await self._locked(session, account_id)
            if wanted.credentials is not None:
                credentials = checked(account.provider, wanted.credentials)
                account.sealed_credentials = sealed(credentials, self.settings.sealer)
                account.verified_at = account.problem = None
            if wanted.name is not None:
                account.name = wanted.name
            if wanted.refuse_with is not None:
                account.refuse_with = wanted.refuse_with
            if wanted.is_default and not account.is_default:
                await repository.clear_default(session, self.tenant_id)
            if wanted.is_default is not None:
                account.is_default = wanted.is_default
            account.revision += 1
            await session.flush()
            await session.refresh(account)
            changed = sorted(wanted.model_fields_set)
            self._record(session, "carrier.changed", account, {"fields": changed})
        await publication.publish(self.redis, account, self.settings)
        return self.view(account)

    async def put(self, provider: str, wanted: InstallationCarrier) -> CarrierVerification:
        """Create or change the one account that the owner has at ``provider``.

        Raises:
            InvalidRequest: the credentials are not those of the carrier.
        """
        fields = {"credentials": wanted.credentials, "refuse_with": wanted.refuse_with}
        try:
            account = await self.at(provider)
        except CarrierAccountNotFound:
            return await self.create(
                CarrierAccountCreate.model_validate({"provider": provider, **fields})
            )
        await self.update(account.id, CarrierAccountUpdate.model_validate(fields))
        return await self.verify(account.id)

    async def at(self, provider: str) -> CarrierAccountRecord:
        """The owner's first account at ``provider``.

        Raises:
            CarrierAccountNotFound: it has none.
        """
        async with self.transaction() as session:
            for account in await repository.accounts_of(session, self.tenant_id):
                if account.provider == provider:
                    return account
        raise CarrierAccountNotFound(f"There is no account at {provider}")

    async def delete(self, account_id: UUID) -> None:
        """Its numbers stay registered, and route nothing until another account proves them.

        Raises:
            CarrierAccountNotFound: there is no such account.
        """
        async with self.transaction() as session:
            account = await self._locked(session, account_id)
            await numbers.release_from_account(session, account_id)
            await repository.remove(session, account_id)
            self._record(session, "carrier.removed", account, {"provider": account.provider})
        await publication.withdraw(self.redis, account)

    async def get(self, account_id: UUID) -> CarrierAccountView:
        """
        Raises:
            CarrierAccountNotFound: there is no such account.
        """
        async with self.transaction() as session:
            account = await repository.find(session, self.tenant_id, account_id)
        if account is None:
            raise CarrierAccountNotFound
        return self.view(account)

    async def page(self, limit: int, offset: int) -> tuple[list[CarrierAccountView], int]:
        async with self.transaction() as session:
            accounts, total = await repository.page_of_accounts(
                session, self.tenant_id, limit=limit, offset=offset
            )
        return [self.view(account) for account in accounts], total

    async def verify(self, account_id: UUID) -> CarrierVerification:
        """Ask the carrier whether it accepts the credentials, and prepare what its numbers share.
        It is asked again about others that come meanwhile.

        Raises:
            CarrierAccountNotFound: there is no such account.
        """
        async with self.transaction() as session:
            account = await repository.find(session, self.tenant_id, account_id)
        if account is None:
            raise CarrierAccountNotFound
        asked_about = account.sealed_credentials
        try:
            problem = await self._problem_of(account)
        except CannotOpen:
            problem = CarrierProblem(ProblemKind.REFUSED, UNREADABLE)
        async with self.transaction() as session:
            account = await self._locked(session, account_id)
            has_others = not self._contain(account.sealed_credentials, asked_about)
            if not has_others:
                account.problem = None if problem is None else problem.message
                account.verified_at = datetime.now(UTC) if problem is None else None
            await session.flush()
            await session.refresh(account)
        if has_others:
            return await self.verify(account_id)
        return CarrierVerification(
            ok=problem is None,
            message=self._all_right() if problem is None else problem.message,
            code=None if problem is None else problem.kind.value,
            carrier=self.view(account),
        )

    def _contain(self, stored: str, asked_about: str) -> bool:
        """Whether the stored credentials are still those that the carrier was asked about: a set-up
        only adds to them."""
        if stored == asked_about:
            return True
        try:
            before, now = (opened(text, self.settings.sealer) for text in (asked_about, stored))
        except CannotOpen:
            return False
        return revealed(before).items() <= revealed(now).items()

    async def _problem_of(self, account: CarrierAccountRecord) -> CarrierProblem | None:
        credentials = opened(account.sealed_credentials, self.settings.sealer)
        try:
            await self.access.api(credentials).verify()
            await self.prepared(account, credentials)
        except CarrierProblem as problem:
            return problem
        return None

    async def prepared(
        self, account: CarrierAccountRecord, credentials: AnyCredentials
    ) -> AnyCredentials:
        """Find or make what all numbers of the account share at the carrier, and keep its ids.

        Raises:
            CarrierProblem: the carrier did not do it.
            CannotOpen: the credentials have been sealed with a key that we do not have.
        """
        webhooks = self.access.webhooks(account.provider, account.id)
        if webhooks is None:
            return credentials
        async with one_set_up(self.redis, account.id):
            async with self.transaction() as session:
                newest = await repository.find(session, self.tenant_id, account.id)
            if newest is None:
                return credentials  # Deleted in the meantime.
            credentials = opened(newest.sealed_credentials, self.settings.sealer)
            found = await self.access.api(credentials).prepare_account(webhooks)
            if found != credentials:
                await self._keep(newest.id, newest.sealed_credentials, found)
        return found

    async def _keep(self, account_id: UUID, before: str, found: AnyCredentials) -> None:
        async with self.transaction() as session:
            account = await repository.find(session, self.tenant_id, account_id, for_update=True)
            if account is None or account.sealed_credentials != before:
                return  # Deleted, or given other credentials in the meantime.
            account.sealed_credentials = sealed(found, self.settings.sealer)
            account.revision += 1
            await session.flush()
        await publication.publish(self.redis, account, self.settings)

    def _all_right(self) -> str:
        if self.settings.bridge_public_url is None:
            return (
                "The carrier accepts the credentials. It cannot reach this installation yet: the "
                "operator has to set SWITCHBOARD_BRIDGE_PUBLIC_URL."
            )
        return "The carrier accepts the credentials."

    async def _locked(self, session: AsyncSession, account_id: UUID) -> CarrierAccountRecord:
        account = await repository.find(session, self.tenant_id, account_id, for_update=True)
        if account is None:
            raise CarrierAccountNotFound
        return account

    def _record(
        self,
        session: AsyncSession,
        action: str,
        account: CarrierAccountRecord,
        changes: dict[str, Any],
    ) -> None:
        if self.caller is not None:
            record_change(session, self.caller, action, target_id=account.id, changes=changes)

    def view(self, account: CarrierAccountRecord) -> CarrierAccountView:
        try:
            identifiers = shown(opened(account.sealed_credentials, self.settings.sealer))
        except CannotOpen:
            identifiers = {}
        return CarrierAccountView.of(account, identifiers)
