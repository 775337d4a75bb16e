"""``/v1/webhooks/events``: what a webhook would be sent, for programs that no address leads to."""

from __future__ import annotations

import re
from time import monotonic
from typing import Annotated

import structlog
from fastapi import APIRouter, Query
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.intelligence.delivered_payload import delivered_payload
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.notifying.notifications.webhook_preference import webhook_is_preferred
from control_plane.notifying.webhooks.delivery_log.schemas import EventView, NewEvents
from control_plane.notifying.webhooks.envelope import body_of, envelope
from control_plane.notifying.webhooks.event_log.repository import Place, end_of_log, events_after
from control_plane.notifying.webhooks.fan_out import is_told
from control_plane.notifying.webhooks.redaction import RedactionLevel, redacted
from control_plane.platform.data_faults import DATA_FAULTS
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.outbox.facts import Fact
from control_plane.platform.settings import ControlPlaneSettings

router = APIRouter()

PAGE_SECONDS = 2.0
"""After so long a page ends with fewer events than were asked for: one of a long call takes a
seventh of a second or more, and the request's transaction has a deadline."""
_CURSOR = re.compile(r"([0-9]{1,18})\.([0-9]{1,18})", re.ASCII)
_log = structlog.get_logger(__name__)


@router.get("/events", responses=problems(*MEMBER_ONLY))
async def new_events(
    caller: MemberCaller,
    session: TenantSession,
    settings: AppSettings,
    cursor: Annotated[
        str | None,
        Query(
            max_length=50,
            description="`next_cursor` of the last answer. Left out: nothing yet, only where to"
            " begin.",
        ),
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 50,
    redaction_level: RedactionLevel = RedactionLevel.PARTIAL,
) -> NewEvents:
    """Get the events that have happened since you last asked, as a webhook that subscribes to all
    of them would get them. Events of the last hour are kept for this. An answer may have fewer than
    `limit` although there are more. An event that cannot be put together is left out, as a webhook
    would not get it."""
    if cursor is None:
        return NewEvents(events=[], next_cursor=_shown(await end_of_log(session)))
    facts, place = await events_after(session, caller.tenant_id, _parsed(cursor), limit)
    ends_at = monotonic() + PAGE_SECONDS
    events = []
    for number, fact in enumerate(facts):
        if number and monotonic() >= ends_at:
            last = facts[number - 1]
            place = Place(last.transaction_id, last.position)
            break
        if not await is_told(session, fact, webhook_is_preferred):
            continue
        try:
            events.append(await _view(session, settings, fact, redaction_level))
        except DATA_FAULTS:
            # The others are not to wait for it for an hour.
            _log.exception("event_not_shown", event_id=str(fact.id), tenant_id=str(fact.tenant_id))
    return NewEvents(events=events, next_cursor=_shown(place))


async def _view(
    session: AsyncSession, settings: ControlPlaneSettings, fact: Fact, level: RedactionLevel
) -> EventView:
    data = await delivered_payload(
        session, settings, fact.tenant_id, fact.event, fact.data, fact.origin
    )
    shown = redacted(data, level)
    body = envelope(fact.event, shown, origin=fact.origin, occurred_at=fact.occurred_at)
    return EventView(id=fact.id, event=fact.event, body=body_of(body).decode())


def _shown(place: Place) -> str:
    return f"{place.transaction_id}.{place.position}"


def _parsed(cursor: str) -> Place:
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise InvalidRequest.at("cursor", "must be the next_cursor of an answer of this route")
    return Place(int(found[1]), int(found[2]))
