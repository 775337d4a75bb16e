"""``/v1/calls``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from switchboard_client.models import (
    AnalysisQueued,
    CallBill,
    CallCreated,
    CallDetail,
    CallEndedView,
    CallEventPage,
    CallEventView,
    CallFeedback,
    CallPage,
    CallQueued,
    CallRecording,
    CallView,
    DailyLatencies,
    ParticipantInput,
    ParticipantsAdded,
    PhoneLegList,
    PostCallInput,
    QueueStats,
    SummaryView,
    TranscriptView,
)
from switchboard_client.operation import Operation, body_document, get, given, post, put
from switchboard_client.paging import Pages, by_cursor, by_offset
from switchboard_client.request import Request, at, query

Id = UUID | str


def create(
    agent_id: Id | None,
    participants: Sequence[ParticipantInput | Mapping[str, Any]],
    *,
    variables: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    locale: str | None = None,
    post_call: PostCallInput | Mapping[str, Any] | None = None,
    idempotency_key: str | None = None,
) -> Operation[CallCreated | CallQueued]:
    """Start a call with an agent's published version. The answer is ``CallQueued`` if one of the
    participants is a phone.

    Args:
        agent_id: ``None`` only for a phone call with a publishable key.
        participants: the people in the call. The answer has the ``access`` of each.
        variables: values for the agent's prompt, opener and tools.
        metadata: your own data, stored with the call.
        locale: one of the agent's languages. Default: the agent's own choice.
        idempotency_key: a key of your own, so that a program that starts again makes no second
            call. Default: a new key, so that the client's own retries make no second call.
    """
    body = given(
        agent_id=agent_id,
        participants=list(participants),
        variables=variables,
        metadata=metadata,
        locale=locale,
        post_call=post_call,
    )
    request = Request("POST", "/v1/calls", body=body_document(body)).once(idempotency_key)
    return Operation(request, CallCreated | CallQueued)


def create_webrtc(
    agent_id: Id,
    identity: str,
    *,
    variables: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    locale: str | None = None,
    idempotency_key: str | None = None,
) -> Operation[CallCreated]:
    """Start a call with one person, who connects with ``participants[0].access``."""
    participant = ParticipantInput(transport="webrtc", identity=identity)
    described = create(
        agent_id,
        [participant],
        variables=variables,
        metadata=metadata,
        locale=locale,
        idempotency_key=idempotency_key,
    )
    return Operation(described.request, CallCreated)


def page(
    *,
    limit: int = 200,
    offset: int = 0,
    cursor: Id | None = None,
    status: str | None = None,
    agent_id: Id | None = None,
) -> Operation[CallPage]:
    """Calls, newest first. ``cursor`` is the ``next_cursor`` of the previous page."""
    asked = query(limit=limit, offset=offset, cursor=cursor, status=status, agent_id=agent_id)
    return get("/v1/calls", CallPage, asked)


def every(
    *, status: str | None = None, agent_id: Id | None = None, page_size: int = 200
) -> Pages[CallPage, CallView]:
    """All calls, newest first. Pages are fetched as you iterate."""
    first = page(limit=page_size, status=status, agent_id=agent_id)
    return by_cursor(first, lambda page: page.calls)


def active(*, limit: int = 200, offset: int = 0, cursor: Id | None = None) -> Operation[CallPage]:
    """Calls that are in progress."""
    return get("/v1/calls/active", CallPage, query(limit=limit, offset=offset, cursor=cursor))


def show(call_id: Id) -> Operation[CallDetail]:
    """A call with its transcript, analysis and the first events of its log."""
    return get(at("/v1/calls/{}", call_id), CallDetail)


def events(call_id: Id, *, limit: int = 50, offset: int = 0) -> Operation[CallEventPage]:
    """A page of the call's log, in order."""
    asked = query(limit=limit, offset=offset)
    return get(at("/v1/calls/{}/events", call_id), CallEventPage, asked)


def every_event(call_id: Id) -> Pages[CallEventPage, CallEventView]:
    """The call's whole log, in order."""
    return by_offset(events(call_id, limit=200), lambda page: page.events)


def transcript(call_id: Id) -> Operation[TranscriptView]:
    """What was said so far. Raises ``TranscriptNotAvailable`` before the first word."""
    return get(at("/v1/calls/{}/transcript", call_id), TranscriptView)


def queue_stats() -> Operation[QueueStats]:
    """How many phones wait to be dialed, and how many are being dialed."""
    return get("/v1/calls/queue/stats", QueueStats)


def end(call_id: Id) -> Operation[CallEndedView]:
    """Hang up. Raises ``CallAlreadyOver`` if the call has ended already."""
    return post(at("/v1/calls/{}/end", call_id), CallEndedView)


def daily_latencies(
    *, days: int | None = None, time_zone: str | None = None
) -> Operation[DailyLatencies]:
    """How fast the agents answered on each of the last ``days`` (default: 14) of ``time_zone``."""
    return get("/v1/calls/daily-latencies", DailyLatencies, query(days=days, time_zone=time_zone))


def bill(call_id: Id) -> Operation[CallBill]:
    """Why the call costs what it costs: its charge, its hold, its agents and their price rows."""
    return get(at("/v1/calls/{}/bill", call_id), CallBill)


def legs(call_id: Id) -> Operation[PhoneLegList]:
    """The phones of a call: how far each has come, and the keys that were pressed on it."""
    return get(at("/v1/calls/{}/legs", call_id), PhoneLegList)


def give_feedback(
    call_id: Id, rating: Literal["up", "down"], comment: str | None = None
) -> Operation[CallFeedback]:
    """Rate the call. It replaces what was given before."""
    body = given(rating=rating, comment=comment)
    return put(at("/v1/calls/{}/feedback", call_id), CallFeedback, body)


def add_participants(
    call_id: Id,
    participants: Sequence[ParticipantInput | Mapping[str, Any]],
    *,
    idempotency_key: str | None = None,
) -> Operation[ParticipantsAdded]:
    """Add people to a call in progress. If one of them cannot be added, none is."""
    place = at("/v1/calls/{}/participants", call_id)
    body = given(participants=list(participants))
    return post(place, ParticipantsAdded, body).once(idempotency_key)


def recording(call_id: Id) -> Operation[CallRecording]:
    """The recording, with download addresses once it is ``completed``.

    Raises ``RecordingNotAvailable`` if the call was not recorded.
    """
    return get(at("/v1/calls/{}/recording", call_id), CallRecording)


def summary(call_id: Id) -> Operation[SummaryView]:
    """What the call was about. Raises ``SummaryNotAvailable`` until it has been analysed."""
    return get(at("/v1/calls/{}/summary", call_id), SummaryView)


def reprocess(call_id: Id, *, idempotency_key: str | None = None) -> Operation[AnalysisQueued]:
    """Analyse a call again. Raises ``AnalysisUnderWay`` while it is being analysed."""
    place = at("/v1/calls/{}/reprocess", call_id)
    return post(place, AnalysisQueued).once(idempotency_key)
