"""Accounts to test the ledger with, and what must hold of each."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID, uuid4

from sqlalchemy import text

from control_plane.money.billing import repository, service
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.locked_ahead import LockedAccount
from control_plane.money.billing.tariff import Tariff
from control_plane.platform.database import Database

RATE = 60_000
"""Micro-dollars a minute."""
HALF_MINUTE = 30_000


async def new_tenant(database: Database) -> UUID:
    tenant_id = uuid4()
    async with database.system_session() as session:
        await session.execute(
            text("INSERT INTO tenants (id, name) VALUES (:id, 'Ledger')"), {"id": tenant_id}
        )
        await repository.open_account(session, tenant_id)
    return tenant_id


async def new_call(database: Database, tenant_id: UUID) -> UUID:
    call_id = uuid4()
    async with database.tenant_session(tenant_id) as session:
        await session.execute(
            text(
                "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, plan)"
                " VALUES (:id, :tenant, :id, 'room', 'connecting', '{}')"
            ),
            {"id": call_id, "tenant": tenant_id},
        )
    return call_id


async def reserve(
    database: Database, tenant_id: UUID, call_id: UUID, seconds: int = 30, *, hold: bool = True
) -> None:
    async with database.tenant_session(tenant_id) as session:
        await service.reserve(session, tenant_id, call_id, seconds, RATE, hold=hold)


async def extend(database: Database, tenant_id: UUID, call_id: UUID, seconds: int) -> int | None:
    async with database.tenant_session(tenant_id) as session:
        return await service.extend(session, tenant_id, call_id, seconds, RATE)


async def settle(database: Database, tenant_id: UUID, call_id: UUID, seconds: int) -> int:
    """What it charged, in micro-dollars."""
    async with database.tenant_session(tenant_id) as session:
        tariff = Tariff.flat(RATE)
        settled = await service.settle(session, tenant_id, call_id, seconds, tariff, {})
        return settled.charge_micros


async def account_of(database: Database, tenant_id: UUID) -> LockedAccount:
    async with database.system_session() as session:
        return await repository.locked_account(session, tenant_id)


async def buckets_of(database: Database, tenant_id: UUID) -> Buckets:
    return (await account_of(database, tenant_id)).buckets


_WRONG = """
    SELECT a.tenant_id FROM billing_accounts a
    LEFT JOIN (
        SELECT tenant_id, sum(plan_micros) p, sum(free_micros) f, sum(purchased_micros) b
        FROM ledger_entries WHERE {these} GROUP BY 1
    ) e USING (tenant_id)
    LEFT JOIN (
        SELECT tenant_id, sum(plan_micros) p, sum(free_micros) f, sum(purchased_micros) b
        FROM ledger_days WHERE {these} GROUP BY 1
    ) d USING (tenant_id)
    LEFT JOIN (
        SELECT payer AS tenant_id, sum(held_micros) h, sum(held_plan_micros) hp,
            sum(held_free_micros) hf
        FROM (
            SELECT *, coalesce(payer_tenant_id, call_reserves.tenant_id) AS payer
            FROM call_reserves WHERE state = 'open'
        ) AS open GROUP BY 1
    ) r USING (tenant_id)
    LEFT JOIN (
        SELECT tenant_id, sum(micros) m FROM counter_days WHERE {these} GROUP BY 1
    ) c USING (tenant_id)
    WHERE {these} AND (
        (a.plan_micros, a.free_micros, a.purchased_micros)
            <> (coalesce(e.p, 0), coalesce(e.f, 0), coalesce(e.b, 0))
        OR (a.plan_micros, a.free_micros, a.purchased_micros)
            <> (coalesce(d.p, 0), coalesce(d.f, 0), coalesce(d.b, 0))
        OR (a.held_micros, a.held_plan_micros, a.held_free_micros)
            <> (coalesce(r.h, 0), coalesce(r.hp, 0), coalesce(r.hf, 0))
        OR a.plan_micros + a.free_micros + a.purchased_micros + coalesce(c.m, 0) <> 0
        OR a.plan_micros < a.held_plan_micros OR a.free_micros < a.held_free_micros
        OR a.held_micros < a.held_plan_micros + a.held_free_micros
    )
"""


async def assert_books_balance(database: Database, tenants: Sequence[UUID] | None = None) -> None:
    """Each bucket of each account is the sum of its entries and of its days, each hold the sum of
    the open reserves, both sides are 0 together, and plan and free credit cover what calls hold of
    them.

    Args:
        tenants: whose; ``None``: everybody's.
    """
    these, bound = "true", {}
    if tenants is not None:
        these, bound = "tenant_id = ANY(:tenants)", {"tenants": list(tenants)}
    async with database.system_session() as session:
        assert (await session.scalars(text(_WRONG.format(these=these)), bound)).all() == []
