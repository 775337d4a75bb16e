from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carriers.answers import Answer, Answers, Refusal, StreamOffer
from carriers.plivo.answer import PlivoAnswers
from carriers.telnyx.answer import TelnyxAnswers
from carriers.twilio.answer import TwilioAnswers
from carriers.vonage.answer import VonageAnswers

MEDIA = "wss://phones.example/carriers/x/1/media"
STATUS = "https://phones.example/carriers/x/1/status?a=1&b=2"
SOUND = "https://phones.example/sorry.mp3?a=1&b=2"


def _offer(**changes: Any) -> StreamOffer:
    fields: dict[str, Any] = {
        "call_id": "v3:call/1",
        "media_url": MEDIA,
        "token": "t0k3n",
        "status_url": STATUS,
        "is_answered": False,
        "from_number": "+14155550100",
        "to_number": "+14155550199",
    }
    return StreamOffer(**(fields | changes))


def _xml(answer: Answer) -> ElementTree.Element:
    assert answer.content_type.startswith("text/xml")
    root = ElementTree.fromstring(answer.body)
    assert root.tag == "Response"
    return root


def _shape(element: ElementTree.Element) -> Any:
    return [(child.tag, dict(child.attrib), child.text) for child in element]


def test_twilio_connects_a_stream_and_gives_it_the_token_as_a_parameter() -> None:
    (connect,) = _xml(TwilioAnswers().connect_stream(_offer()))
    (stream,) = connect
    assert (connect.tag, stream.tag) == ("Connect", "Stream")
    assert stream.attrib == {
        "url": MEDIA,
        "statusCallback": STATUS,
        "statusCallbackMethod": "POST",
    }
    assert {each.attrib["name"]: each.attrib["value"] for each in stream} == {
        "call_token": "t0k3n",
        "from_number": "+14155550100",
        "to_number": "+14155550199",
    }


def test_plivo_connects_a_stream_with_the_token_in_its_address() -> None:
    (stream,) = _xml(PlivoAnswers().connect_stream(_offer()))
    assert stream.attrib == {
        "bidirectional": "true",
        "keepCallAlive": "true",
        "audioTrack": "inbound",
        "contentType": "audio/x-mulaw;rate=8000",
        "streamTimeout": "86400",
        "statusCallbackUrl": STATUS,
        "statusCallbackMethod": "POST",
    }
    address = urlsplit(stream.text or "")
    assert address._replace(query="").geturl() == MEDIA
    assert parse_qs(address.query) == {"call_token": ["t0k3n"]}


def test_vonage_connects_a_websocket_with_the_token_in_its_headers() -> None:
    answer = VonageAnswers().connect_stream(_offer())
    assert answer.content_type == "application/json"
    assert json.loads(answer.body) == [
        {
            "action": "connect",
            "eventType": "synchronous",
            "eventUrl": [STATUS],
            "endpoint": [
                {
                    "type": "websocket",
                    "uri": MEDIA,
                    "content-type": "audio/l16;rate=16000",
                    "headers": {
                        "call_token": "t0k3n",
                        "call_uuid": "v3:call/1",
                        "from_number": "+14155550100",
                        "to_number": "+14155550199",
                    },
                    "authorization": {"type": "vonage"},
                }
            ],
        }
    ]


def test_vonages_headers_are_never_longer_than_it_takes() -> None:
    with pytest.raises(ValueError, match="512"):
        VonageAnswers().connect_stream(_offer(token="t" * 500))


@pytest.mark.parametrize(("is_answered", "action"), [(False, "answer"), (True, "streaming_start")])
def test_telnyx_is_commanded_to_stream_with_our_token(is_answered: bool, action: str) -> None:
    answer = TelnyxAnswers().connect_stream(_offer(is_answered=is_answered))
    assert (answer.status, answer.body) == (200, "")
    (command,) = answer.commands
    assert command.path == f"/v2/calls/v3%3Acall%2F1/actions/{action}"
    body = dict(command.body)
    assert body.pop("command_id")
    assert body.pop("webhook_url", None) == (None if is_answered else STATUS)
    assert body == {
        "stream_url": MEDIA,
        "stream_track": "inbound_track",
        "stream_codec": "PCMU",
        "stream_bidirectional_mode": "rtp",
        "stream_bidirectional_codec": "PCMU",
        "stream_bidirectional_sampling_rate": 8000,
        "stream_auth_token": "t0k3n",
    }


def test_the_same_command_to_telnyx_has_the_same_id_and_another_one_another() -> None:
    answers = TelnyxAnswers()
    ids = [
        answers.connect_phone("c", to_number, "+14155550100").commands[0].body["command_id"]
        for to_number in ("+14155550101", "+14155550101", "+14155550102")
    ]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize("refusal", Refusal)
def test_a_call_is_refused_in_the_carriers_words(refusal: Refusal) -> None:
    reason = {"reason": refusal.value}
    assert _shape(_xml(TwilioAnswers().refuse("c", refusal))) == [("Reject", reason, None)]
    assert _shape(_xml(PlivoAnswers().refuse("c", refusal))) == [("Hangup", reason, None)]
    assert VonageAnswers().refuse("c", refusal).body == "[]"
    (command,) = TelnyxAnswers().refuse("c", refusal).commands
    expected = {Refusal.BUSY: "USER_BUSY", Refusal.REJECTED: "CALL_REJECTED"}[refusal]
    assert (command.path, command.body["cause"]) == ("/v2/calls/c/actions/reject", expected)


def test_a_sentence_is_played_before_the_line_is_closed() -> None:
    answers: list[Answers] = [TwilioAnswers(), PlivoAnswers()]
    for xml_answers in answers:
        assert _shape(_xml(xml_answers.play_and_hang_up("c", SOUND))) == [
            ("Play", {}, SOUND),
            ("Hangup", {}, None),
        ]
    assert json.loads(VonageAnswers().play_and_hang_up("c", SOUND).body) == [
        {"action": "stream", "streamUrl": [SOUND]}
    ]
    answer, play = TelnyxAnswers().play_and_hang_up("c", SOUND).commands
    assert answer.path.endswith("/answer")
    assert (play.path, play.body["audio_url"]) == ("/v2/calls/c/actions/playback_start", SOUND)


def test_another_phone_is_connected_with_our_number() -> None:
    numbers = ("+14155550101", "+14155550100")
    xml_answers: list[Answers] = [TwilioAnswers(), PlivoAnswers()]
    for answers in xml_answers:
        (dial,) = _xml(answers.connect_phone("c", *numbers))
        assert dial.attrib == {"callerId": "+14155550100"}
        assert _shape(dial) == [("Number", {}, "+14155550101")]
    assert json.loads(VonageAnswers().connect_phone("c", *numbers).body) == [
        {
            "action": "connect",
            "from": "14155550100",
            "endpoint": [{"type": "phone", "number": "14155550101"}],
        }
    ]
    (command,) = TelnyxAnswers().connect_phone("c", *numbers).commands
    assert command.path.endswith("/transfer")
    assert command.body["to"] == "+14155550101"
    assert command.body["from"] == "+14155550100"


def test_a_line_is_closed() -> None:
    assert _shape(_xml(TwilioAnswers().hang_up("c"))) == [("Hangup", {}, None)]
    assert _shape(_xml(PlivoAnswers().hang_up("c"))) == [("Hangup", {}, None)]
    assert VonageAnswers().hang_up("c").body == "[]"
    (command,) = TelnyxAnswers().hang_up("c").commands
    assert command.path.endswith("/hangup")


@given(st.text(max_size=40), st.text(max_size=40))
def test_no_number_changes_the_shape_of_a_document(to_number: str, from_number: str) -> None:
    xml_answers: list[Answers] = [TwilioAnswers(), PlivoAnswers()]
    for answers in xml_answers:
        (dial,) = _xml(answers.connect_phone("c", to_number, from_number))
        assert [child.tag for child in dial] == ["Number"]
        assert set(dial.attrib) == {"callerId"}
    offer = _offer(from_number=from_number, to_number=to_number)
    (connect,) = _xml(TwilioAnswers().connect_stream(offer))
    assert [child.tag for child in connect[0]] == ["Parameter"] * 3
    assert len(json.loads(VonageAnswers().connect_phone("c", to_number, from_number).body)) == 1
