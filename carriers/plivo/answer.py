"""Plivo's XML. Pure. Source: https://docs.plivo.com/docs/voice/xml"""

from __future__ import annotations

from urllib.parse import urlencode

from carriers.answers import TOKEN_PARAMETER, Answer, Refusal, StreamOffer
from carriers.xml_document import element, xml_answer, xml_text

STREAM_TIMEOUT_SECONDS = 86_400


class PlivoAnswers:
    def connect_stream(self, offer: StreamOffer) -> Answer:
        """The token is in the address: extra headers do not always come back."""
        address = f"{offer.media_url}?{urlencode({TOKEN_PARAMETER: offer.token})}"
        attributes = {
            "bidirectional": "true",
            "keepCallAlive": "true",
            "audioTrack": "inbound",
            # Plivo's pages do not agree on the default.
            "contentType": "audio/x-mulaw;rate=8000",
            "streamTimeout": str(STREAM_TIMEOUT_SECONDS),
            "statusCallbackUrl": offer.status_url,
            "statusCallbackMethod": "POST",
        }
        return xml_answer(element("Stream", attributes, xml_text(address)))

    def refuse(self, call_id: str, refusal: Refusal) -> Answer:
        return xml_answer(element("Hangup", {"reason": refusal.value}))

    def play_and_hang_up(self, call_id: str, audio_url: str) -> Answer:
        return xml_answer(element("Play", None, xml_text(audio_url)), element("Hangup"))

    def connect_phone(self, call_id: str, to_number: str, from_number: str) -> Answer:
        number = element("Number", None, xml_text(to_number))
        return xml_answer(element("Dial", {"callerId": from_number}, number))

    def hang_up(self, call_id: str) -> Answer:
        return xml_answer(element("Hangup"))

    def acknowledge(self) -> Answer:
        return Answer("text/plain", "", status=200)
