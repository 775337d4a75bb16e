"""Telnyx's Call Control: a webhook is only acknowledged, and commands follow. Pure.

Source: https://developers.telnyx.com/api-reference/call-commands
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from carriers.answers import Answer, ApiCommand, Refusal, StreamOffer

_REJECT_CAUSES = {Refusal.BUSY: "USER_BUSY", Refusal.REJECTED: "CALL_REJECTED"}


class TelnyxAnswers:
    def connect_stream(self, offer: StreamOffer) -> Answer:
        """A call that we dialed is up; one that came in is answered in the same breath."""
        action = "streaming_start" if offer.is_answered else "answer"
        body = {
            "stream_url": offer.media_url,
            "stream_track": "inbound_track",
            "stream_codec": "PCMU",
            "stream_bidirectional_mode": "rtp",
            "stream_bidirectional_codec": "PCMU",
            "stream_bidirectional_sampling_rate": 8000,
            "stream_auth_token": offer.token,
        }
        if not offer.is_answered:
            body["webhook_url"] = offer.status_url
        return _commands(command(offer.call_id, action, body))

    def refuse(self, call_id: str, refusal: Refusal) -> Answer:
        return _commands(command(call_id, "reject", {"cause": _REJECT_CAUSES[refusal]}))

    def play_and_hang_up(self, call_id: str, audio_url: str) -> Answer:
        return _commands(
            command(call_id, "answer"),
            command(call_id, "playback_start", {"audio_url": audio_url}),
        )

    def connect_phone(self, call_id: str, to_number: str, from_number: str) -> Answer:
        return _commands(command(call_id, "transfer", {"to": to_number, "from": from_number}))

    def hang_up(self, call_id: str) -> Answer:
        return _commands(command(call_id, "hangup"))

    def acknowledge(self) -> Answer:
        return _commands()


def command(call_id: str, action: str, body: dict[str, Any] | None = None) -> ApiCommand:
    """The same command has the same id, so that Telnyx carries out once what a webhook that comes
    twice asks for."""
    path = f"/v2/calls/{quote(call_id, safe='')}/actions/{action}"
    body = body or {}
    command_id = uuid5(NAMESPACE_URL, path + json.dumps(body, sort_keys=True))
    return ApiCommand(path, {**body, "command_id": str(command_id)})


def _commands(*commands: ApiCommand) -> Answer:
    return Answer("text/plain", "", commands=commands)
