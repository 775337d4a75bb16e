"""Whether the outcome of changes could be saved: the checks of create and update that need the
catalogue, the tenant's keys or its other agents."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from control_plane.building.agents.changes.apply_changes import Mode, Outcome
from control_plane.building.agents.changes.flat_keys import paths_of_keys, shortest_key
from control_plane.building.agents.documents import checked, own_fields
from control_plane.building.agents.servable import refuse_unservable
from control_plane.building.agents.tenant_addresses import AddressFaults, refuse_addresses
from control_plane.building.agents.writing import check_content
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller
from pipelines.stack import AvailableKeys, StackCatalogue

_UNNAMED = {"name": "-"}


async def checked_for_saving(
    session: AsyncSession,
    caller: Caller,
    current: Mapping[str, Any],
    outcome: Outcome,
    mode: Mode,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    faults: AddressFaults,
) -> Outcome:
    """``outcome``, or one with errors if create (in mode ``edit``: update) would refuse it.

    Args:
        current: the configuration before the changes, by flat key or nested.
        faults: of the addresses in ``fields_to_save``.
    """
    if outcome.errors:
        return outcome
    sent = fields_to_save(outcome, mode)
    config = checked(_UNNAMED | own_fields(outcome.config))
    before = _valid_or_none(current) if mode == "edit" else None
    try:
        refuse_addresses(sent, keys.tier, faults)
        await check_content(session, caller, config, sent)
        await asyncio.to_thread(refuse_unservable, config, catalogue, keys, before)
    except InvalidRequest as refusal:
        errors = _by_key(refusal.extra["errors"], outcome.config)
        return Outcome(dict(current), errors=errors, warnings=outcome.warnings)
    return outcome


def fields_to_save(outcome: Outcome, mode: Mode) -> Mapping[str, Any]:
    """What create (in mode ``edit``: update) would be sent.

    Raises:
        InvalidRequest: a field was sent both flat and nested.
    """
    return outcome.update if mode == "edit" else own_fields(outcome.config)


def _valid_or_none(current: Mapping[str, Any]) -> AgentConfig | None:
    try:
        return checked(_UNNAMED | own_fields(current))
    except InvalidRequest:
        return None


def _by_key(errors: list[dict[str, str]], config: Mapping[str, Any]) -> list[dict[str, str]]:
    """Errors that name fields by the keys that the client uses."""
    key_of = {path: key for key in config if (path := paths_of_keys().get(key))}
    named = []
    for error in errors:
        path, bracket, item = error["field"].partition("[")
        key = key_of.get(path) or shortest_key(path)
        named.append(error | {"field": f"{key}{bracket}{item}"})
    return named
