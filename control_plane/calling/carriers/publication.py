"""What the bridges know of the carrier accounts: written at each change, and made complete by a
loop of the jobs process when Redis has lost it."""

from __future__ import annotations

from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts.carrier_accounts import CarrierAccount
from contracts.sealing import CannotOpen
from control_plane.calling.carriers import repository
from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link import carrier_accounts as link
from control_plane.platform.settings import ControlPlaneSettings
from link.common_beat import until_beat
from link.connection import LINK_ERRORS

INTERVAL_SECONDS = 5.0
_log = structlog.get_logger(__name__)


def document_of(account: CarrierAccountRecord, settings: ControlPlaneSettings) -> CarrierAccount:
    """
    Raises:
        CannotOpen: the credentials were sealed with a key that we do not have.
    """
    return CarrierAccount.model_validate(
        {
            "account_id": account.id,
            "revision": account.revision,
            "provider": account.provider,
            "tenant_id": account.tenant_id,
            "sealed_credentials": settings.bridge_sealer.seal(
                settings.sealer.open(account.sealed_credentials)
            ),
            "refuse_with": account.refuse_with,
        }
    )


async def publish(
    redis: Redis, account: CarrierAccountRecord, settings: ControlPlaneSettings
) -> None:
    """Tell the bridges of a change that is committed. While Redis is away the loop does it
    later."""
    try:
        await link.put(redis, [document_of(account, settings)])
    except CannotOpen:
        _log.error("carrier_credentials_cannot_be_opened", account=str(account.id))
    except LINK_ERRORS as error:
        _log.warning("carrier_account_not_published", account=str(account.id), error=str(error))


async def withdraw(redis: Redis, account: CarrierAccountRecord) -> None:
    """The account is deleted. While Redis is away the loop does it later."""
    try:
        await link.remove(redis, [account.id])
    except LINK_ERRORS as error:
        _log.warning("carrier_account_not_withdrawn", account=str(account.id), error=str(error))


async def reconcile(
    database: Database, redis: Redis, settings: ControlPlaneSettings, unreadable: set[UUID]
) -> int:
    """Write what Redis lacks or has in an older form, and remove what is deleted.

    Args:
        unreadable: gets the accounts whose credentials cannot be opened, which are logged. Those
            that are in it are not logged again.

    Returns:
        How many accounts were written or removed.

    Raises:
        RedisError, OSError, DatabaseUnavailable: try again later.
    """
    known = await link.revisions(redis, settings.bridge_sealer)
    async with database.system_statements() as session:
        accounts = await repository.every_account(session)
    documents = []
    for account in accounts:
        if known.pop(account.id, 0) >= account.revision:
            continue
        try:
            documents.append(document_of(account, settings))
        except CannotOpen:
            if account.id not in unreadable:
                unreadable.add(account.id)
                _log.error("carrier_credentials_cannot_be_opened", account=str(account.id))
    await link.put(redis, documents)
    await link.remove(redis, known.keys())
    return len(documents) + len(known)


async def keep_reconciling(
    database: Database, redis: Redis, settings: ControlPlaneSettings
) -> None:
    """Run ``reconcile`` until cancelled."""
    unreadable: set[UUID] = set()
    while True:
        try:
            if changed := await reconcile(database, redis, settings, unreadable):
                _log.info("carrier_accounts_reconciled", changed=changed)
        except (*LINK_ERRORS, DatabaseUnavailable) as error:
            _log.warning("carrier_accounts_wait", error=str(error))
        await until_beat(INTERVAL_SECONDS)
