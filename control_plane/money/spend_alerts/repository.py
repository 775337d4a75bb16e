"""Every query on spend alerts. None commits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy import func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import User
from control_plane.identity.members.models import Membership
from control_plane.money.billing.models import BillingAccount, LedgerDay, LedgerEntry
from control_plane.money.plans.month import month_of
from control_plane.money.spend_alerts.models import SpendAlert, SpendAlertSettings
from control_plane.money.spend_alerts.rules import (
    HISTORY_DAYS,
    HOUR,
    Alert,
    AlertSettings,
    Spending,
    TopUp,
)

RECENT = 10
"""API spec, "Billing": the latest ten acknowledged."""
MOST_UNACKNOWLEDGED = 500


async def settings_of(session: AsyncSession, tenant_id: UUID) -> AlertSettings:
    found = await session.get(SpendAlertSettings, tenant_id)
    if found is None:
        return AlertSettings()
    return AlertSettings(tuple(found.thresholds_micros), found.low_balance_pct, found.email_enabled)


async def save_settings(session: AsyncSession, tenant_id: UUID, wanted: AlertSettings) -> None:
    values = {
        "thresholds_micros": list(wanted.thresholds_micros),
        "low_balance_pct": wanted.low_balance_pct,
        "email_enabled": wanted.email_enabled,
    }
    await session.execute(
        insert(SpendAlertSettings)
        .values(tenant_id=tenant_id, **values)
        .on_conflict_do_update(index_elements=[SpendAlertSettings.tenant_id], set_=values)
    )


async def tenants_that_spent(session: AsyncSession, now: datetime) -> dict[UUID, int]:
    """Tenants with an entry in the last hour, and what calls cost them in it. Only that hour's
    entries are read. Needs a system session."""
    amount = LedgerEntry.plan_micros + LedgerEntry.free_micros + LedgerEntry.purchased_micros
    # PostgreSQL does not see how few pages of the partition an hour has, and reads all of them.
    await session.execute(text("SET LOCAL enable_seqscan = off"))
    charged = func.coalesce(func.sum(-amount).filter(LedgerEntry.transaction_type == "charge"), 0)
    rows = await session.execute(
        select(LedgerEntry.tenant_id, charged)
        .where(LedgerEntry.created_at > now - HOUR)
        .group_by(LedgerEntry.tenant_id)
        .order_by(LedgerEntry.tenant_id)
    )
    return {tenant_id: int(micros) for tenant_id, micros in rows}


async def spending_of(
    session: AsyncSession, tenant_id: UUID, hour_micros: int, now: datetime
) -> Spending | None:
    """From the totals of days; ``None``: the tenant has no account."""
    account = await session.get(BillingAccount, tenant_id)
    if account is None:
        return None
    today = now.astimezone(UTC).date()
    since = today - timedelta(days=HISTORY_DAYS)
    month, last_month = month_of(now), month_of(now - HOUR)
    rows = await session.execute(
        select(LedgerDay.day, LedgerDay.charged_micros).where(
            LedgerDay.tenant_id == tenant_id, LedgerDay.day >= min(since, last_month)
        )
    )
    charged = {day: micros for day, micros in rows if micros > 0}
    history = [micros for day, micros in charged.items() if since <= day < today]
    topup = None
    if account.last_topup_id is not None and account.last_topup_micros is not None:
        topup = TopUp(account.last_topup_id, account.last_topup_micros)
    return Spending(
        hour_micros=hour_micros,
        month_micros=sum(micros for day, micros in charged.items() if day >= month),
        history_micros=sum(history),
        history_days=len(history),
        balance_micros=account.buckets.total_micros,
        last_topup=topup,
        last_month_micros=sum(
            micros for day, micros in charged.items() if last_month <= day < month
        ),
    )


async def raise_alerts(
    session: AsyncSession, tenant_id: UUID, alerts: Iterable[Alert]
) -> Sequence[SpendAlert]:
    """Keep the alerts that were not raised before, and return those."""
    rows = [
        {
            "id": uuid4(),
            "tenant_id": tenant_id,
            "occasion": alert.occasion,
            "alert_type": alert.alert_type,
            "severity": alert.severity,
            "amount_micros": alert.amount_micros,
            "threshold_micros": alert.threshold_micros,
        }
        for alert in alerts
    ]
    if not rows:
        return ()
    added = await session.scalars(
        insert(SpendAlert).values(rows).on_conflict_do_nothing().returning(SpendAlert)
    )
    return added.all()


async def unacknowledged(session: AsyncSession, tenant_id: UUID) -> Sequence[SpendAlert]:
    """Newest first."""
    found = await session.scalars(
        select(SpendAlert)
        .where(SpendAlert.tenant_id == tenant_id, SpendAlert.acknowledged_at.is_(None))
        .order_by(SpendAlert.created_at.desc(), SpendAlert.id)
        .limit(MOST_UNACKNOWLEDGED)
    )
    return found.all()


async def recent(session: AsyncSession, tenant_id: UUID) -> Sequence[SpendAlert]:
    """The latest acknowledged."""
    found = await session.scalars(
        select(SpendAlert)
        .where(SpendAlert.tenant_id == tenant_id, SpendAlert.acknowledged_at.is_not(None))
        .order_by(SpendAlert.acknowledged_at.desc(), SpendAlert.id)
        .limit(RECENT)
    )
    return found.all()


async def acknowledge(session: AsyncSession, tenant_id: UUID, alert_id: UUID) -> datetime | None:
    """When it was acknowledged; ``None``: there is no such alert, or it was before."""
    at: datetime | None = await session.scalar(
        update(SpendAlert)
        .where(
            SpendAlert.tenant_id == tenant_id,
            SpendAlert.id == alert_id,
            SpendAlert.acknowledged_at.is_(None),
        )
        .values(acknowledged_at=func.now())
        .returning(SpendAlert.acknowledged_at)
        .execution_options(synchronize_session=False)
    )
    return at


async def find(session: AsyncSession, alert_id: UUID) -> SpendAlert | None:
    return await session.get(SpendAlert, alert_id)


async def administrators(session: AsyncSession, tenant_id: UUID) -> Sequence[tuple[UUID, str]]:
    """Owners and admins who can get mail, with their addresses. Needs a system session."""
    rows = await session.execute(
        select(User.id, User.email)
        .join(Membership, Membership.user_id == User.id)
        .where(
            Membership.tenant_id == tenant_id,
            Membership.role.in_(("owner", "admin")),
            User.email_confirmed_at.is_not(None) | User.confirmation_waived,
        )
        .order_by(User.id)
    )
    return [(user_id, email) for user_id, email in rows]
