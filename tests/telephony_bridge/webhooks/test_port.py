"""What the bridge's port answers to strangers."""

from __future__ import annotations

from uuid import uuid4

import httpx2
import pytest

from telephony_bridge.media.sentences import Sentence, wav_file
from telephony_bridge.webhooks.app import MOST_BODY_BYTES
from tests.telephony_bridge.conftest import ControlPlaneEnd
from tests.telephony_bridge.twilio_line import TwilioLine

ID = "0d8a51cd-5d5b-4cf4-9bb5-0d0a5fbf33a1"
"""Of no account."""


async def asked(line: TwilioLine, method: str, path: str, body: bytes = b"") -> httpx2.Response:
    async with httpx2.AsyncClient(trust_env=False, timeout=20) as client:
        return await client.request(method, line.local_url + path, content=body)


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/carriers/twilio",
        "/carriers/twilio/not-an-id/voice",
        f"/carriers/twilio/{ID}/voice",
        f"/carriers/twilio/{ID}/media",
        f"/carriers/twilio/{ID}/voice/",
        "/sentences/unknown.wav",
        "/sentences/../settings.py",
    ],
)
async def test_what_is_not_there_is_not_found(line: TwilioLine, path: str) -> None:
    assert (await asked(line, "POST", path)).status_code == 404


async def test_an_account_is_not_reached_under_another_carriers_name(line: TwilioLine) -> None:
    path = f"/carriers/telnyx/{line.account_id}/voice"
    assert (await asked(line, "POST", path)).status_code == 404


async def test_other_methods_are_not_answered(line: TwilioLine) -> None:
    path = f"/carriers/twilio/{line.account_id}/voice"
    assert (await asked(line, "DELETE", path)).status_code == 405


async def test_a_body_that_is_too_large_is_refused_before_anything_is_read(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    path = f"/carriers/twilio/{line.account_id}/voice"
    answer = await asked(line, "POST", path, bytes(MOST_BODY_BYTES + 1))
    assert answer.status_code == 413
    assert control_plane.asked == []


async def test_a_carrier_can_fetch_every_sentence(line: TwilioLine) -> None:
    for sentence in Sentence:
        answer = await asked(line, "GET", f"/sentences/{sentence.value}.wav")
        assert answer.headers["content-type"] == "audio/wav"
        assert answer.content == wav_file(sentence)


async def test_a_status_of_an_unknown_call_is_taken_and_changes_nothing(
    line: TwilioLine, control_plane: ControlPlaneEnd
) -> None:
    form = {"CallSid": "CA9", "CallStatus": "completed", "CallbackSource": "call-progress-events"}
    answer = await line.webhook(form, "status", f"?attempt={uuid4()}")
    assert answer.status_code == 204
    assert await control_plane.reports() == []
