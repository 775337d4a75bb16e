"""An agent that calls a voice menu hears what it offers, and presses the key for it: the tones are
heard at the other end of the line."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from carriers.account import CarrierName
from tests.e2e.phones import PERSON, PhoneSystem, phone_system
from tests.stand_ins.carriers.carrier import DialedPhone
from tests.stand_ins.carriers.phone import Phone
from tests.stand_ins.carriers.sound import PHONE_HZ
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

MENU = "Welcome to the clinic. For appointments, press one. For everything else, press two."
TONES_OF_ONE = (697.0, 1209.0)
WINDOW = PHONE_HZ * 40 // 1000


def answer(request: dict[str, Any]) -> Answer:
    last = request["messages"][-1]
    text = str(last["content"]).lower()
    if "connected" in text and last["role"] == "user":
        return calls("end_call")
    if any(each["role"] == "tool" for each in request["messages"]):
        return says("I will wait.")
    return calls("send_dtmf", '{"digits": "1"}') if "press" in text else says("Hello.")


class KeyOneWatch:
    """Looks at each part of what a phone hears once: it is asked fifty times a second, and the
    phone's frames come from the same process."""

    def __init__(self, phone: Phone) -> None:
        self._phone = phone
        self._start = 0

    def is_heard(self) -> bool:
        """Whether nearly all of some 40 ms is in the two tones of the key."""
        heard = self._phone.heard
        while self._start < heard.size - WINDOW:
            window = heard[self._start : self._start + WINDOW].astype(np.float64)
            if _is_key_one(window):
                return True
            self._start += WINDOW // 2
        return False


def _is_key_one(window: NDArray[np.float64]) -> bool:
    if np.abs(window).max() < 300:
        return False
    power = np.abs(np.fft.rfft(window * np.hanning(WINDOW), 8 * WINDOW)) ** 2
    hz = np.fft.rfftfreq(8 * WINDOW, 1 / PHONE_HZ)
    parts = [power[np.abs(hz - tone) < 60].sum() / power.sum() for tone in TONES_OF_ONE]
    return bool(sum(parts) > 0.9 and min(parts) > 0.2)


async def test_an_agent_navigates_a_voice_menu_with_keys() -> None:
    async with OpenAIWire(answer_to=answer).serving() as wire:
        with ExitStack() as stack:
            starting = phone_system(SWITCHBOARD_OPENAI_BASE_URL=wire.base_url)
            phones = await asyncio.to_thread(stack.enter_context, starting)
            agent_id = await _agent(phones)
            async with phones.carrier(CarrierName.TWILIO) as carrier:
                phone = Phone()
                carrier.phones[PERSON] = DialedPhone(phone)
                call_id = await phones.call_out(CarrierName.TWILIO, agent_id=agent_id)
                await phone.until_heard(300, within_seconds=60)
                await phone.until_quiet()
                phone.say(MENU)
                await phone.until_said()
                await phone.until(KeyOneWatch(phone).is_heard, within_seconds=60)
                await phone.until_quiet()
                phone.say("You are connected to the appointments desk.")
                call = await phones.ended(call_id)
                assert carrier.open_lines == 0
            async with phones.switchboard.api() as api:
                [leg] = (await api.calls.legs(call.id)).legs
            await asyncio.to_thread(stack.close)
    assert (call.status, call.end_reason) == ("completed", "end_call_tool")
    assert [(keys.direction, keys.digits) for keys in leg.keys] == [("sent", "1")]


async def _agent(phones: PhoneSystem) -> str:
    async with phones.switchboard.api() as api:
        await api.request("PUT", "/v1/provider-keys/openai", body={"key": "sk-of-the-tenant-1234"})
        agent = {
            "name": "Booker",
            "stt_provider": "local",
            "llm_provider": "openai",
            "tts_provider": "local",
            "playbook": {"opener": "Hello there.", "endCallMessage": "Thank you."},
            "tools": [{"type": "send_dtmf"}],
        }
        agent_id = (await api.agents.create(agent)).id
        await api.agents.publish(agent_id)
    return str(agent_id)
