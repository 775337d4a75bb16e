"""A real browser's offer, with a video section that a call does not use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from uuid import uuid4

import numpy as np
import pytest
from playwright.async_api import Page, async_playwright

from contracts.call_plan import PlannedParticipant
from contracts.live_messages import AgentStateChanged, LiveMessage
from runtime.media.local_room import LocalRoom
from runtime.media.room import LegConnected, LegGone
from tests.runtime.media.loopback_peer import tone

pytestmark = pytest.mark.browser

OFFER = """async () => {
    const microphone = await navigator.mediaDevices.getUserMedia({ audio: true });
    const peer = window.peer = new RTCPeerConnection();
    window.messages = [];
    peer.addTransceiver("video", { direction: "recvonly" });
    peer.addTrack(microphone.getTracks()[0], microphone);
    peer.createDataChannel("events").onmessage = (event) => window.messages.push(event.data);
    peer.ontrack = ({ track }) => {
        if (track.kind !== "audio") return;
        const sound = new Audio();
        sound.srcObject = new MediaStream([track]);
        sound.play();
        const context = new AudioContext();
        window.analyser = context.createAnalyser();
        context.createMediaStreamSource(sound.srcObject).connect(window.analyser);
    };
    await peer.setLocalDescription();
    await new Promise((done) => {
        if (peer.iceGatheringState === "complete") done();
        peer.onicegatheringstatechange = () => peer.iceGatheringState === "complete" && done();
    });
    return peer.localDescription.sdp;
}"""
ACCEPT = 'async (sdp) => { await window.peer.setRemoteDescription({ type: "answer", sdp }); }'
LOUDEST_HZ = """() => {
    const bins = new Uint8Array(window.analyser.frequencyBinCount);
    window.analyser.getByteFrequencyData(bins);
    const loudest = bins.indexOf(Math.max(...bins));
    const hz = loudest * window.analyser.context.sampleRate / window.analyser.fftSize;
    return bins[loudest] > 150 ? hz : 0;
}"""


class _EmptyPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>leg</title>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), _EmptyPage)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def page(address: str, chromium: str) -> AsyncIterator[Page]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                "--autoplay-policy=no-user-gesture-required",
            ],
        )
        page = await browser.new_page()
        await page.goto(address)
        yield page
        await browser.close()


async def test_a_browser_and_the_agent_hear_each_other(page: Page) -> None:
    room = LocalRoom("browser")
    participant = PlannedParticipant(participant_id=uuid4(), transport="webrtc", identity="browser")
    answer = await room.answer_offer(participant, await page.evaluate(OFFER))
    await page.evaluate(ACCEPT, answer)
    event = await asyncio.wait_for(anext(room.events()), 5)
    assert event == LegConnected(participant.participant_id)

    room.voice.push(tone(1_000, 24_000, 20.0))
    await page.wait_for_function(f"() => Math.abs(({LOUDEST_HZ})() - 1000) < 50", timeout=10_000)

    async with asyncio.timeout(10):
        # The fake microphone beeps once a second.
        async for frame in room.listen():
            if np.abs(frame.astype(int)).max() > 2_000:
                break

    room.broadcast(LiveMessage(body=AgentStateChanged(state="speaking")))
    await page.wait_for_function("() => window.messages.length === 1", timeout=5_000)

    await page.evaluate("() => window.peer.close()")
    event = await asyncio.wait_for(anext(room.events()), 6)
    assert event == LegGone(participant.participant_id, "connection_lost")
    await room.aclose()
