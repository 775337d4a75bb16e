"""The pages that a request to save an agent brings along.

A website may take seconds to answer. So pages are fetched before a request takes a connection to
the database: routes name one of the dependencies below before their session. Nothing here refuses
a request: a page that was not fetched says why, and publishing reports it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request

from contracts.agent_config import MAX_PASSAGES
from control_plane.building.agents.documents import own_fields
from control_plane.building.agents.knowledge.fetching import AT_ONCE, fetch_pages
from control_plane.building.agents.knowledge.pages import MOST_PAGES, KnowledgePage, Pages
from control_plane.building.agents.schemas import AgentCreate, AgentUpdate
from control_plane.building.agents.tenant_addresses import TenantResolver
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.identity.idempotent_requests.route import is_repetition
from control_plane.money.spending.errors import SpendingLimited
from control_plane.money.spending.limits import RequestsAtOnce, Spending, meter
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver
from pipelines.texts.page_texts import address_in


@dataclass(frozen=True)
class PageLookUp:
    """Fetches pages for one request, within its tenant's limits."""

    request: Request
    caller: Caller
    database: Database
    settings: ControlPlaneSettings
    resolver: Resolver

    async def pages(self, sent: Mapping[str, Any]) -> Pages:
        """Fetch the pages that a configuration, or a part of one, names. Do it without a session.

        A request that repeats an earlier one (``Idempotency-Key``) fetches nothing, because its
        answer is the earlier one's.

        Args:
            sent: not validated yet. What is no knowledge base is left to validation.
        """
        addresses = _addresses(sent)
        if not addresses:
            return ()
        with ExitStack() as held:
            try:
                at_once = self._take_slots(held, min(AT_ONCE, len(addresses)))
            except SpendingLimited as reached:
                return _not_fetched(addresses, _said(reached))
            return await self._fetched(addresses, at_once)

    def _take_slots(self, held: ExitStack, wanted: int) -> int:
        """Take up to ``wanted`` of the tenant's slots for requests at once: each page in flight
        takes as much memory as one of those requests. Returns how many were free.

        Raises:
            SpendingLimited: none was.
        """
        slots: RequestsAtOnce = self.request.app.state.builder_requests
        for taken in range(wanted):
            try:
                held.enter_context(slots.one_more(self.caller.tenant_id))
            except SpendingLimited:
                if not taken:
                    raise
                return taken
        return wanted

    async def _fetched(self, addresses: Sequence[str], at_once: int) -> Pages:
        counted, limit = 0, ""
        async with self.database.tenant_session(self.caller.tenant_id) as session:
            if await is_repetition(self.request, self.caller, session):
                return ()
            try:
                for _ in addresses:
                    await meter(
                        session, self.caller.tenant_id, Spending.AGENT_BUILDER, self.settings
                    )
                    counted += 1
            except SpendingLimited as reached:
                limit = _said(reached)
        policy = OutboundPolicy(self.settings.outbound_allowed_networks)
        return (
            *await fetch_pages(addresses[:counted], policy, self.resolver, at_once=at_once),
            *_not_fetched(addresses[counted:], limit),
        )


async def _look_up(
    request: Request,
    caller: MemberCaller,
    database: AppDatabase,
    settings: AppSettings,
    resolver: TenantResolver,
) -> PageLookUp:
    return PageLookUp(request, caller, database, settings, resolver)


_LookUp = Annotated[PageLookUp, Depends(_look_up)]


async def _of_new(wanted: AgentCreate, look_up: _LookUp) -> Pages:
    return await look_up.pages(wanted.root)


async def _of_changes(changes: AgentUpdate, look_up: _LookUp) -> Pages:
    return await look_up.pages(changes.root)


PagesOfNew = Annotated[Pages, Depends(_of_new)]
PagesOfChanges = Annotated[Pages, Depends(_of_changes)]


def _addresses(sent: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that are fetched, in the order of the knowledge base, each once."""
    try:
        persona = own_fields(sent).get("persona")
    except InvalidRequest:
        return ()
    passages = persona.get("knowledgeBase") if isinstance(persona, Mapping) else None
    if not isinstance(passages, list) or len(passages) > MAX_PASSAGES:
        return ()
    found = (address_in(passage) for passage in passages if isinstance(passage, str))
    return tuple(dict.fromkeys(address for address in found if address))[:MOST_PAGES]


def _not_fetched(addresses: Sequence[str], problem: str) -> Pages:
    return tuple(KnowledgePage(address=address, problem=problem) for address in addresses)


def _said(reached: SpendingLimited) -> str:
    span = {"minute": "a minute", "day": "a day", "at_once": "at once"}[reached.extra["policy"]]
    return (
        f"The limit of {reached.extra['limit']} pages and other requests to the agent builder "
        f"{span} was reached."
    )
