"""A call page whose microphone the test speaks into and whose ears it reads, sample by sample."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
from playwright.async_api import Page

from switchboard_client.webrtc.frame import Samples
from tests.e2e.test_call_page import opened_page

HZ = 48_000

_EARS_AND_MOUTH = """
(() => {
  const context = new AudioContext({ sampleRate: 48000 });
  const microphone = context.createMediaStreamDestination();
  const heard = [];
  const coded = (bytes) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768)
      text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return btoa(text);
  };

  navigator.mediaDevices.getUserMedia = async () => {
    await context.resume();
    return microphone.stream;
  };

  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration) {
      super(configuration);
      this.addEventListener("track", ({ track }) => {
        const tap = context.createScriptProcessor(4096, 1, 1);
        tap.onaudioprocess = ({ inputBuffer }) =>
          heard.push(inputBuffer.getChannelData(0).slice());
        context.createMediaStreamSource(new MediaStream([track])).connect(tap);
        tap.connect(context.destination);
      });
    }
  };

  window.speak = (text) => {
    const bytes = Uint8Array.from(atob(text), (each) => each.charCodeAt(0));
    const samples = new Int16Array(bytes.buffer);
    const buffer = context.createBuffer(1, samples.length, 48000);
    buffer.copyToChannel(Float32Array.from(samples, (each) => each / 32768), 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(microphone);
    source.start();
  };

  window.heardSoFar = () => {
    const samples = heard.flatMap((each) => Array.from(each, (one) => Math.round(one * 32767)));
    return coded(new Uint8Array(Int16Array.from(samples).buffer));
  };
})();
"""


@dataclass(frozen=True)
class TwoWayPage:
    page: Page

    async def say(self, samples: Samples) -> None:
        """Speak into the microphone, from now on."""
        text = base64.b64encode(samples.astype("<i2").tobytes()).decode()
        await self.page.evaluate("(text) => window.speak(text)", text)

    async def heard(self) -> Samples:
        """All that has come out of the call, at 48 kHz."""
        text = await self.page.evaluate("() => window.heardSoFar()")
        return np.frombuffer(base64.b64decode(text), "<i2").astype(np.int16)


@asynccontextmanager
async def two_way_page(chromium: str, url: str) -> AsyncIterator[TwoWayPage]:
    async with opened_page(
        chromium, url, "--autoplay-policy=no-user-gesture-required", init_script=_EARS_AND_MOUTH
    ) as page:
        yield TwoWayPage(page)
