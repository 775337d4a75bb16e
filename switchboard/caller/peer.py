"""The caller's end of the media connection: the client's leg, with errors as problems."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Protocol

import structlog
from pydantic import ValidationError

from contracts.live_messages import LiveMessage
from switchboard.caller.placed_call import CALL_ADVICE
from switchboard.caller.reports import ConnectionChanged, EndedBy, Report
from switchboard.problems import client_errors_as_problems
from switchboard_client.webrtc.connection import ReceivedFrame
from switchboard_client.webrtc.leg import CallLeg
from switchboard_client.webrtc.outgoing_track import SoundSource

_log = structlog.get_logger(__name__)


class Peer(Protocol):
    """The caller's end of a call, over whatever medium."""

    @property
    def end_of_sound(self) -> EndedBy:
        """Who has ended the call if the other side stops sending."""

    async def connect(self, url: str, token: str) -> float: ...
    def listen(self) -> AsyncIterator[ReceivedFrame]: ...
    async def leave(self) -> None: ...


OpenPeer = Callable[[SoundSource, Callable[[LiveMessage], None], Callable[[Report], None]], Peer]


class CallerPeer:
    """A caller's leg, from the offer to the goodbye."""

    end_of_sound: EndedBy = "connection_lost"

    def __init__(
        self,
        source: SoundSource,
        on_message: Callable[[LiveMessage], None],
        report: Callable[[Report], None],
    ) -> None:
        self._on_message = on_message
        self._leg = CallLeg(
            source,
            self._message,
            on_state=lambda state: report(ConnectionChanged(state=state)),
        )

    async def connect(self, url: str, token: str) -> float:
        """Exchange offer and answer and wait for the media connection.

        Returns the monotonic time at which it was up.

        Raises:
            Problem: the signalling failed, or the media connection could not be made.
        """
        with client_errors_as_problems(CALL_ADVICE):
            return await self._leg.connect(url, token)

    def listen(self) -> AsyncIterator[ReceivedFrame]:
        """The frames that the other side sends, until it stops sending."""
        return self._leg.listen()

    async def leave(self) -> None:
        """Leave the call, then close the connection. Idempotent."""
        await self._leg.leave()

    def _message(self, text: str | bytes) -> None:
        try:
            message = LiveMessage.model_validate_json(text)
        except ValidationError as error:
            _log.warning("live_message_ignored", errors=error.error_count())
            return
        self._on_message(message)
