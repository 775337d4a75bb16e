"""NCCO documents. Pure. Source: https://developer.vonage.com/en/voice/voice-api/ncco-reference"""

from __future__ import annotations

import json
from typing import Any

from carriers.answers import TOKEN_PARAMETER, Answer, Refusal, StreamOffer
from carriers.phone_number import without_plus
from carriers.vonage.media_stream import CALL_PARAMETER, FROM_PARAMETER, TO_PARAMETER

CONTENT_TYPE = "audio/l16;rate=16000"
MAX_HEADERS_BYTES = 512


class VonageAnswers:
    def connect_stream(self, offer: StreamOffer) -> Answer:
        """
        Raises:
            ValueError: the headers would be longer than Vonage's 512 bytes.
        """
        headers = {TOKEN_PARAMETER: offer.token, CALL_PARAMETER: offer.call_id}
        if offer.from_number is not None:
            headers[FROM_PARAMETER] = offer.from_number
        if offer.to_number is not None:
            headers[TO_PARAMETER] = offer.to_number
        if len(json.dumps(headers)) > MAX_HEADERS_BYTES:
            raise ValueError(f"the stream's headers are longer than {MAX_HEADERS_BYTES} bytes")
        endpoint = {
            "type": "websocket",
            "uri": offer.media_url,
            "content-type": CONTENT_TYPE,
            "headers": headers,
            "authorization": {"type": "vonage"},
        }
        return ncco(
            {
                "action": "connect",
                "eventType": "synchronous",
                "eventUrl": [offer.status_url],
                "endpoint": [endpoint],
            }
        )

    def refuse(self, call_id: str, refusal: Refusal) -> Answer:
        """Vonage has no word for it: an empty document ends the call unanswered."""
        return ncco()

    def play_and_hang_up(self, call_id: str, audio_url: str) -> Answer:
        return ncco({"action": "stream", "streamUrl": [audio_url]})

    def connect_phone(self, call_id: str, to_number: str, from_number: str) -> Answer:
        return ncco(connect_phone_action(to_number, from_number))

    def hang_up(self, call_id: str) -> Answer:
        return ncco()

    def acknowledge(self) -> Answer:
        return Answer("text/plain", "", status=204)


def connect_phone_action(to_number: str, from_number: str) -> dict[str, Any]:
    return {
        "action": "connect",
        "from": without_plus(from_number),
        "endpoint": [{"type": "phone", "number": without_plus(to_number)}],
    }


def ncco(*actions: dict[str, Any]) -> Answer:
    return Answer("application/json", json.dumps(actions))
