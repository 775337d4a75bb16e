"""Transfers through real processes: the caller and the person are phones at a stand-in carrier."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from carriers.account import CarrierName
from switchboard.demo.account import agent_body
from switchboard.services.ports import free_port
from switchboard_client.models import CallDetail
from tests.e2e.phones import (
    INSTALLATION_NUMBER,
    OUR_NUMBERS,
    PERSON,
    PhoneSystem,
    phone_system,
)
from tests.stand_ins.carriers.carrier import DialedPhone, StandInCarrier
from tests.stand_ins.carriers.phone import Phone, answering_machine
from tests.stand_ins.carriers.sound import FRAME_MS
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

COLLEAGUE = "+14155550177"
MOST_APART = 0.5
MODEL_AGENT = {
    "name": "Desk",
    "stt_provider": "local",
    "llm_provider": "openai",
    "tts_provider": "local",
    "playbook": {"opener": "Hello, this is the clinic. What can I do for you?"},
}
UNREACHED = "Sadly nobody is free. What else can I do for you?"


@pytest.fixture(scope="module")
def model_port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def phones(model_port: int) -> Iterator[PhoneSystem]:
    with phone_system(SWITCHBOARD_OPENAI_BASE_URL=f"http://127.0.0.1:{model_port}/v1") as system:
        yield system


async def transferring_agent(
    phones: PhoneSystem, agent: Mapping[str, Any] | None = None, **settings: Any
) -> str:
    """A published agent that connects who asks for a person."""
    tool = {
        "type": "transfer",
        "name": "to_reception",
        "description": "Connects the caller to the reception.",
        "to": COLLEAGUE,
        "unreached_message": UNREACHED,
    }
    async with phones.switchboard.api() as api:
        body = agent_body() if agent is None else dict(agent)
        created = await api.agents.create(body | {"tools": [tool | settings]})
        await api.agents.publish(created.id)
    return str(created.id)


@asynccontextmanager
async def a_caller(
    phones: PhoneSystem,
    name: CarrierName,
    carrier: StandInCarrier,
    agent_id: str,
    from_number: str | None = None,
) -> AsyncIterator[tuple[Phone, str]]:
    """Somebody whom the agent has called, and who asks for a person. Gives the call's id."""
    caller = Phone()
    carrier.phones[PERSON] = DialedPhone(caller)
    call_id = await phones.call_out(name, agent_id=agent_id, from_number=from_number)
    await caller.until_heard(1_000)
    await caller.until_quiet()
    caller.say("I would like to speak to a person, please.")
    await caller.until_said()
    yield caller, call_id


async def talk(speaker: Phone, listener: Phone) -> None:
    """The listener hears what the speaker says."""
    await listener.until_quiet(500)
    began = listener.heard_ms
    speaker.say("Hello there, can you hear me well on this line?")
    await speaker.until_said()
    await listener.until_heard(700, since_ms=began)


def loudness(phone: Phone, since_ms: int) -> float:
    heard = phone.heard[since_ms * 8 :].astype(np.float64)
    return float(np.sqrt(np.mean(np.square(heard)))) if heard.size else 0.0


async def parted(
    phones: PhoneSystem, carrier: StandInCarrier, hangs_up: Phone, other: Phone, call_id: str
) -> CallDetail:
    hangs_up.hang_up()
    await asyncio.wait_for(other.line_closed.wait(), 30)
    call = await phones.ended(call_id)
    assert carrier.open_lines == 0
    assert (call.status, call.end_reason) == ("completed", "participant_disconnected")
    return call


@pytest.mark.parametrize("name", CarrierName)
async def test_a_cold_transfer_connects_the_caller_with_a_person(
    phones: PhoneSystem, name: CarrierName
) -> None:
    agent_id = await transferring_agent(phones)
    async with phones.carrier(name) as carrier:
        colleague = Phone()
        carrier.phones[COLLEAGUE] = DialedPhone(colleague, ring_seconds=1.5)
        async with a_caller(phones, name, carrier, agent_id) as (caller, call_id):
            await colleague.until(lambda: colleague.heard_ms > 400)
            await talk(colleague, caller)
            await talk(caller, colleague)
            call = await parted(phones, carrier, colleague, caller, call_id)
    assert [each.identity for each in call.participants] == [PERSON, COLLEAGUE]
    assert all(each.status == "completed" for each in call.participants)
    shown = {line.from_number.lstrip("+") for line in carrier.lines.values()}
    assert shown == {OUR_NUMBERS[name].lstrip("+")}


@pytest.mark.parametrize("name", [CarrierName.TWILIO, CarrierName.VONAGE])
async def test_in_a_warm_transfer_the_caller_hears_music_while_the_person_is_told(
    phones: PhoneSystem, name: CarrierName
) -> None:
    agent_id = await transferring_agent(
        phones, mode="warm", summary="The caller is Ada and asks for her bill."
    )
    async with phones.carrier(name) as carrier:
        colleague = Phone(says="Reception, hello?")
        carrier.phones[COLLEAGUE] = DialedPhone(colleague, ring_seconds=1.0)
        async with a_caller(phones, name, carrier, agent_id) as (caller, call_id):
            await colleague.until(lambda: colleague.heard_ms > 400)
            music_from = caller.heard_ms
            await colleague.until_heard(2_000)
            music = len(caller.loud_ms(music_from)) * FRAME_MS / (caller.heard_ms - music_from)
            assert music > MOST_APART, "the caller hears music all the time"
            await colleague.until_quiet(900)
            await talk(colleague, caller)
            await talk(caller, colleague)
            call = await parted(phones, carrier, caller, colleague, call_id)
    told = await phones.said_by(call, "agent")
    assert "ada" in told
    assert "bill" in told


@pytest.mark.parametrize("reached", ["busy", "rings_on", "machine", "forbidden"])
async def test_a_caller_whose_person_is_not_reached_is_back_with_the_agent(
    phones: PhoneSystem, reached: str
) -> None:
    number = "+442079460123" if reached == "forbidden" else COLLEAGUE
    agent_id = await transferring_agent(phones, mode="warm", to=number)
    async with phones.carrier(CarrierName.TWILIO) as carrier:
        carrier.phones[COLLEAGUE] = {
            "busy": DialedPhone(ends_as="busy"),
            "rings_on": DialedPhone(ends_as="no_answer", ring_seconds=2),
            "machine": DialedPhone(answering_machine()),
            "forbidden": DialedPhone(),
        }[reached]
        async with a_caller(phones, CarrierName.TWILIO, carrier, agent_id) as (caller, call_id):
            await until_said(phones, call_id, "nobody is free")
            await caller.until_quiet()
            asked = caller.heard_ms
            caller.say("Then I would like to book an appointment.")
            await caller.until_said()
            await caller.until_heard(600, since_ms=asked + 1_000)
            caller.hang_up()
            call = await phones.ended(call_id)
            assert carrier.open_lines == 0
    assert "appointment" in await phones.said_by(call, "user")


def model(request: dict[str, Any]) -> Answer:
    """What a language model of the agent does: it connects who asks for a person."""
    asked = str(request["messages"][-1]["content"]).lower()
    if "person" in asked:
        return calls("to_reception", '{"summary": "The caller is Ada and asks for her bill."}')
    return says("We are open from nine to five." if "open" in asked else "I am still here.")


async def test_an_agent_of_a_language_model_stays_with_both_and_goes_on_afterwards(
    phones: PhoneSystem, model_port: int
) -> None:
    """The model begins the transfer by its tool. Both phones are on the bill."""
    usd_per_second = 0.001
    async with (
        OpenAIWire(answer_to=model, port=model_port).serving() as wire,
        phones.installation_carrier(usd_per_second * 60) as carrier,
    ):
        async with phones.switchboard.api() as api:
            await api.request("PUT", "/v1/provider-keys/openai", body={"key": "sk-own-key-12345"})
        agent_id = await transferring_agent(phones, MODEL_AGENT, mode="warm", then="stay")
        colleague = Phone(says="Reception, hello?")
        carrier.phones[COLLEAGUE] = DialedPhone(colleague, ring_seconds=0.5)
        talking = a_caller(phones, CarrierName.TWILIO, carrier, agent_id, INSTALLATION_NUMBER)
        async with talking as (caller, call_id):
            await until_said(phones, call_id, "for her bill")
            await colleague.until_quiet(900)
            began = caller.heard_ms, colleague.heard_ms
            colleague.say("When are you open on Friday?")
            await until_said(phones, call_id, "nine to five")
            await caller.until_heard(1_500, since_ms=began[0])
            await colleague.until_heard(700, since_ms=began[1])
            await caller.until_quiet()

            colleague.hang_up()
            colleague_seconds = colleague.heard_ms / 1000
            await asyncio.wait_for(colleague.line_closed.wait(), 30)
            carrier.phones[COLLEAGUE] = DialedPhone(ends_as="busy")
            caller.say("I would like to speak to another person, please.")
            await until_said(phones, call_id, "nobody is free")
            await caller.until_quiet()
            caller.say("Thank you very much. Goodbye for today.")
            await until_said(phones, call_id, "still here")
            caller.hang_up()
            call = await phones.ended(call_id)
            assert carrier.open_lines == 0
    async with phones.switchboard.api() as api:
        bill = await api.calls.bill(call_id)
    assert (call.status, call.end_reason) == ("completed", "participant_disconnected")
    assert "reception" not in await phones.said_by(call, "user"), "nobody listens in private"
    assert (await phones.said_by(call, "agent")).count("still here") == 1
    asked = [each["messages"][-1]["content"] for each in wire.requests]
    assert any("friday" in str(each).lower() for each in asked), "the colleague was heard"
    phone_seconds = call.billable_seconds + colleague_seconds
    assert bill.phone_cost == pytest.approx(phone_seconds * usd_per_second, abs=0.003)


async def until_said(phones: PhoneSystem, call_id: str, words: str) -> None:
    async with asyncio.timeout(60), phones.switchboard.api() as api:
        while True:
            transcript = await api.calls.transcript(call_id)
            if words in " ".join(each.text for each in transcript.segments).lower():
                return
            await asyncio.sleep(0.5)
