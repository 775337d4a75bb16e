"""Two people in two browsers are in one call with the agent, and somebody watches it."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import numpy as np
import pytest
from playwright.async_api import Locator, expect

from switchboard.caller.speech_models import Recogniser, Voice
from switchboard_client.webrtc.frame import Samples
from tests.control_plane.calling.live_view.viewer import Event, Viewer
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call
from tests.e2e.test_call_page import ANSWER_MS, hang_up
from tests.e2e.two_way_page import HZ, two_way_page

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.timeout(240)]

ADA_HZ, BO_HZ = 700, 1_100
TONE_SECONDS = 2.0
AUDIBLE, INAUDIBLE = 1_000, 100
"""Amplitudes; the tones are spoken with 6,000."""


def tone(hz: float) -> Samples:
    times = np.arange(round(HZ * TONE_SECONDS)) / HZ
    return (6_000 * np.sin(2 * np.pi * hz * times)).astype(np.int16)


def loudest(heard: Samples, hz: float) -> float:
    """The tone's greatest amplitude in any half second."""
    window = HZ // 2
    wave = np.exp(-2j * np.pi * hz * np.arange(window) / HZ)
    starts = range(0, max(1, heard.size - window), window // 2)
    return max(
        float(2 * np.abs(np.dot(heard[start : start + window], wave)) / window) for start in starts
    )


async def watched(switchboard: LiveSwitchboard, call_id: str) -> list[Event]:
    """Everything that the call's stream tells, to its end."""
    headers = {"Authorization": f"Bearer {switchboard.account.secret_key}"}
    url = f"{switchboard.api_url}/v1/calls/{call_id}/stream"
    async with (
        httpx2.AsyncClient(timeout=None) as http,
        http.stream("GET", url, headers=headers) as response,
    ):
        return await Viewer(response, patience_seconds=120).rest()


async def invited(switchboard: LiveSwitchboard, call_id: str) -> dict[str, Any]:
    async with switchboard.api() as api:
        added = await api.request(
            "POST",
            f"/v1/calls/{call_id}/participants",
            body={"participants": [{"transport": "webrtc", "identity": "bo"}]},
        )
    [participant] = added["participants"]
    return participant


async def both_show(words: str, *pages: Locator) -> None:
    for said in pages:
        await expect(said.filter(has_text=words).first).to_be_visible(timeout=ANSWER_MS)


async def test_two_browsers_hear_each_other_and_the_agent(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    voice = Voice()
    booking = voice.speak("Hi, I would like to book an appointment.").audio
    first_time = voice.speak("No, this is my first time.").audio
    async with two_way_page(chromium, switchboard.call_page) as ada:
        await ada.page.get_by_role("button", name="Start the call").click()
        ada_sees = ada.page.locator("#transcript li[data-final=true]")
        await expect(ada_sees.first).to_contain_text("this is Mia", timeout=ANSWER_MS)
        call_id = await ada.page.locator("body").get_attribute("data-call")
        assert call_id is not None
        watching = asyncio.create_task(watched(switchboard, call_id))

        bo_is = await invited(switchboard, call_id)
        invitation = f"{switchboard.api_url}/call#call={call_id}&token={bo_is['access']['token']}"
        async with two_way_page(chromium, invitation) as bo:
            await bo.page.get_by_role("button", name="Join the call").click()
            bo_sees = bo.page.locator("#transcript li[data-final=true]")
            # Said before Bo came.
            await expect(bo_sees.first).to_contain_text("this is Mia", timeout=ANSWER_MS)
            for person in (ada, bo):
                await expect(person.page.locator("#people")).to_have_text(
                    "2 people in the call", timeout=ANSWER_MS
                )

            await ada.say(booking)
            await both_show("book an appointment", ada_sees, bo_sees)
            await both_show("been to our clinic", ada_sees, bo_sees)
            await bo.say(first_time)
            await both_show("first time", ada_sees, bo_sees)
            await both_show("your name", ada_sees, bo_sees)

            await ada.say(tone(ADA_HZ))
            await bo.say(tone(BO_HZ))
            await asyncio.sleep(TONE_SECONDS + 1)
            ada_heard, bo_heard = await ada.heard(), await bo.heard()

            await hang_up(ada.page)
            await expect(bo.page.locator("#people")).to_be_hidden(timeout=ANSWER_MS)
            await expect(bo.page.get_by_role("button", name="End")).to_be_visible()
            await hang_up(bo.page)
            await expect(bo.page.get_by_role("button", name="Join again")).to_be_visible()

    assert loudest(ada_heard, BO_HZ) > AUDIBLE
    assert loudest(bo_heard, ADA_HZ) > AUDIBLE
    assert loudest(ada_heard[-4 * HZ :], ADA_HZ) < INAUDIBLE
    assert loudest(bo_heard[-4 * HZ :], BO_HZ) < INAUDIBLE
    recogniser = Recogniser()
    for heard in (ada_heard, bo_heard):
        assert "clinic" in recogniser.transcribe(heard).lower()

    async with switchboard.api() as api:
        record = await ended_call(api, call_id)
    assert (record["status"], record["end_reason"]) == ("completed", "participant_disconnected")
    assert [each["status"] for each in record["participants"]] == ["completed", "completed"]
    _tells_the_whole_call(await watching, record)


def _tells_the_whole_call(events: list[Event], record: dict[str, Any]) -> None:
    said = {
        event.data["sequence"]: event.data["text"]
        for event in events
        if event.name == "transcript" and event.data["is_final"]
    }
    recorded = record["transcript"]["segments"]
    assert said == {each["sequence"]: each["text"] for each in recorded}
    came_and_went = [
        (event.data["participant_id"], event.data["state"])
        for event in events
        if event.data.get("subject") == "participant"
    ]
    ada, bo = (each["id"] for each in record["participants"])
    assert (bo, "connected") in came_and_went
    assert came_and_went[-2:] == [(ada, "left"), (bo, "left")]
    assert any(event.name == "latency" for event in events)
    assert events[-1].event_id == "end"
    assert events[-1].data["state"] == "completed"
