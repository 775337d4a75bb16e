"""TwiML. Pure. Source: https://www.twilio.com/docs/voice/twiml"""

from __future__ import annotations

from carriers.answers import TOKEN_PARAMETER, Answer, Refusal, StreamOffer
from carriers.twilio.parameters import FROM_PARAMETER, TO_PARAMETER
from carriers.xml_document import element, xml_answer, xml_text


class TwilioAnswers:
    def connect_stream(self, offer: StreamOffer) -> Answer:
        """Twilio does not pass a query on, so the token is a parameter of the stream."""
        parameters = {
            TOKEN_PARAMETER: offer.token,
            FROM_PARAMETER: offer.from_number,
            TO_PARAMETER: offer.to_number,
        }
        stream = element(
            "Stream",
            {
                "url": offer.media_url,
                "statusCallback": offer.status_url,
                "statusCallbackMethod": "POST",
            },
            "".join(
                element("Parameter", {"name": name, "value": value})
                for name, value in parameters.items()
                if value is not None
            ),
        )
        return xml_answer(element("Connect", None, stream))

    def refuse(self, call_id: str, refusal: Refusal) -> Answer:
        return xml_answer(element("Reject", {"reason": refusal.value}))

    def play_and_hang_up(self, call_id: str, audio_url: str) -> Answer:
        return xml_answer(element("Play", None, xml_text(audio_url)), element("Hangup"))

    def connect_phone(self, call_id: str, to_number: str, from_number: str) -> Answer:
        return xml_answer(dial_element(to_number, from_number))

    def hang_up(self, call_id: str) -> Answer:
        return xml_answer(element("Hangup"))

    def acknowledge(self) -> Answer:
        return Answer("text/plain", "", status=204)


def dial_element(to_number: str, from_number: str) -> str:
    number = element("Number", None, xml_text(to_number))
    return element("Dial", {"callerId": from_number}, number)
