"""Says when a tenant's available credit falls below an amount, in the transaction that lowered it.

Available is what no call holds, in all buckets. Who wants to know sets the amount with
``watch_available_credit`` and declares the job ``CREDIT_FELL``. It is added in the transaction in
which the available credit falls from at least that amount to below it, so it exists if and only if
the credit fell. It is not added again until the credit has been above the amount. Who could not act
on it looks again with ``repository.tenants_below_watch``, which also finds what a process of the
previous release lowered.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository
from control_plane.money.billing.locked_ahead import LockedAccount
from control_plane.platform.job_queue import PATIENT_QUEUE, enqueue

CREDIT_FELL = "payments.credit_fell"
"""A job of ``PATIENT_QUEUE`` with the argument ``tenant_id``. Requests add it, too."""


async def watch_available_credit(
    session: AsyncSession, tenant_id: UUID, below_micros: int | None
) -> bool:
    """Watch for available credit below ``below_micros`` from now on; ``None`` ends the watch.

    Returns:
        Whether it is below that already. No job is added then.
    """
    await repository.open_account(session, tenant_id)
    account = await repository.locked_account(session, tenant_id)
    account.watch_below_micros = below_micros
    await repository.set_watch(session, tenant_id, below_micros)
    return _is_below(account.available_micros, below_micros)


@asynccontextmanager
async def watched(session: AsyncSession, account: LockedAccount) -> AsyncIterator[None]:
    """Add the job if the available credit of ``account`` fell while this was open. Everything that
    lowers it is done within: releases and charges of one call count together."""
    before = account.available_micros
    yield
    await tell_if_fell(
        session, account.tenant_id, before, account.available_micros, account.watch_below_micros
    )


async def tell_if_fell(
    session: AsyncSession,
    tenant_id: UUID,
    before_micros: int,
    after_micros: int,
    watch_below_micros: int | None,
) -> None:
    """Add the job if the available credit fell below what is watched."""
    if _is_below(after_micros, watch_below_micros) and not _is_below(
        before_micros, watch_below_micros
    ):
        await enqueue(session, CREDIT_FELL, queue=PATIENT_QUEUE, tenant_id=str(tenant_id))


def _is_below(available_micros: int, watch_below_micros: int | None) -> bool:
    return watch_below_micros is not None and available_micros < watch_below_micros
