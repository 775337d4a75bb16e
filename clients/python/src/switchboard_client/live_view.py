"""Watching a call: the requests, the events, and how to resume after a lost connection. Pure.

A new connection begins after the last event that was seen, so that nothing is missed. The last
utterances can come again: an utterance replaces an earlier one with the same ``utterance`` or
``sequence``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from switchboard_client.errors import StreamLost
from switchboard_client.models import (
    AgentState,
    CallState,
    Interruption,
    ParticipantState,
    RecordingState,
    ToolUse,
    TurnLatency,
    UserState,
    Utterance,
)
from switchboard_client.request import Reply, Request, at, query
from switchboard_client.server_sent_events import EventParser, ServerSentEvent
from switchboard_client.wire_model import WireModel

LiveData = (
    CallState
    | ParticipantState
    | AgentState
    | UserState
    | Utterance
    | TurnLatency
    | Interruption
    | ToolUse
    | RecordingState
)
SILENCE_SECONDS = 45.0
"""A stream that brings nothing for so long is lost. The API sends at least a comment every 15 s."""
MOST_LOSSES = 8
"""After so many connections in a row that bring nothing, the viewer gives up."""
_END_ID = "end"
_NOTHING_MORE = 204
_SUBJECTS: dict[str, type[WireModel]] = {
    "call": CallState,
    "participant": ParticipantState,
    "agent": AgentState,
    "user": UserState,
}
_KINDS: dict[str, type[WireModel]] = {
    "transcript": Utterance,
    "latency": TurnLatency,
    "interruption": Interruption,
    "tool": ToolUse,
    "recording": RecordingState,
}


@dataclass(frozen=True)
class LiveEvent:
    """``data`` is the model for ``name``, or plain JSON if this client does not know the event."""

    name: str
    data: LiveData | Any
    id: str | None


class LiveView:
    """One viewer's position in a call's stream.

    Args:
        follow: whether to go on until the call ends, or to stop after what was said so far.
        after: the ``id`` of an event; the stream begins after it.
    """

    def __init__(
        self, call_id: UUID | str, *, follow: bool = True, after: str | None = None
    ) -> None:
        self._request = Request(
            "GET",
            at("/v1/calls/{}/stream", call_id),
            query(follow=None if follow else "false"),
            headers={"Accept": "text/event-stream"},
        )
        self._follow = follow
        self._last_id = after
        self._retry_ms = 1_000
        self._losses = 0
        self._parser = EventParser()
        self.is_over = False

    def request(self) -> Request:
        """The request of the next connection."""
        self._parser = EventParser()
        self._parser.last_id = self._last_id
        if self._last_id is None:
            return self._request
        return replace(
            self._request, headers={**self._request.headers, "Last-Event-ID": self._last_id}
        )

    def opened(self, status: int) -> bool:
        """Whether events follow. If not, call ``refused``."""
        return status == 200

    def refused(self, reply: Reply) -> None:
        """
        Raises:
            ApiError: there is nothing to watch.
        """
        if reply.status == _NOTHING_MORE:
            self.is_over = True
        elif reply.status not in (429, 502, 503, 504):
            raise reply.error()

    def feed(self, chunk: bytes) -> list[LiveEvent]:
        events = [live_event(each) for each in self._parser.feed(chunk)]
        if events:
            self._losses = 0
            # The parser may know the id of the next event already, whose data has not come yet.
            self._last_id = events[-1].id
            self.is_over = self._last_id == _END_ID
        if self._parser.retry_ms is not None:
            self._retry_ms = self._parser.retry_ms
        return events

    def wait_seconds(self, reason: str = "", asked_seconds: float | None = None) -> float:
        """How long to wait before the next connection, now that one has ended.

        Raises:
            StreamLost: too many connections brought nothing.
        """
        if not self._follow and not reason:
            self.is_over = True
            return 0.0
        self._losses += 1
        if self._losses > MOST_LOSSES:
            raise StreamLost(reason or "the server closes it again and again", self._last_id)
        return asked_seconds or self._retry_ms / 1000 * min(self._losses, 5)


def live_event(event: ServerSentEvent) -> LiveEvent:
    data = json.loads(event.data)
    kind = _kind(event.name, data)
    if kind is None:
        return LiveEvent(event.name, data, event.last_id)
    try:
        return LiveEvent(event.name, kind.model_validate(data), event.last_id)
    except ValidationError:
        return LiveEvent(event.name, data, event.last_id)


def _kind(name: str, data: Any) -> type[WireModel] | None:
    if name == "state" and isinstance(data, dict):
        return _SUBJECTS.get(str(data.get("subject")))
    return _KINDS.get(name)
