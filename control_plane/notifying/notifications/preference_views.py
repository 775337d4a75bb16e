"""Preferences as clients see them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications import preference_repository as repository
from control_plane.notifying.notifications.categories import CATEGORIES
from control_plane.notifying.notifications.preferences import (
    SILENT,
    Choice,
    choice_of_member,
    choice_of_tenant,
)
from control_plane.notifying.notifications.schemas import PreferenceRow
from control_plane.platform.tenancy.caller import Caller


async def of_tenant(session: AsyncSession, caller: Caller) -> Mapping[str, Choice]:
    """What holds for the tenant, by category."""
    tenant = caller.tenant_id
    chosen = await repository.choices(session, tenant, [tenant])
    return {name: choice_of_tenant(name, chosen.get((tenant, name), SILENT)) for name in CATEGORIES}


async def of_caller(
    session: AsyncSession, caller: Caller, *, only_own: bool = False
) -> Mapping[str, Choice]:
    """What holds for the caller, by category: for a user their own choices over the tenant's, for
    a key the tenant's.

    Args:
        only_own: leave out the categories for which the user has chosen nothing.
    """
    user = caller.actor.id
    if caller.role is None or user is None:
        return await of_tenant(session, caller)
    tenant = caller.tenant_id
    chosen = await repository.choices(session, tenant, [tenant, user])
    return {
        name: choice_of_member(
            name,
            chosen.get((tenant, name), SILENT),
            chosen.get((user, name), SILENT),
            administers=caller.may_administer,
        )
        for name in CATEGORIES
        if not only_own or (user, name) in chosen
    }


def rows(choices: Mapping[str, Choice]) -> list[PreferenceRow]:
    return [row(category, choice) for category, choice in choices.items()]


def row(category: str, choice: Choice) -> PreferenceRow:
    return PreferenceRow(
        event_category=category,
        email_enabled=choice.wants("email"),
        sms_enabled=choice.wants("sms"),
        in_app_enabled=choice.wants("in_app"),
        webhook_enabled=choice.wants("webhook"),
    )
