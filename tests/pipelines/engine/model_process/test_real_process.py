"""The real models in a real process: the same answers, and none lost when it is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psutil
import pytest

from contracts.agent_config import AgentConfig
from pipelines.engine.model_process.connection import Patience
from pipelines.engine.model_process.remote_models import RemoteModels
from pipelines.engine.model_process.run import NICENESS
from pipelines.engine.model_process.socket_path import models_socket
from pipelines.engine.providers.local.speech_models import Voice
from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import conversation, words
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import call_plan

TEXT = "Hello there. I would like two tickets for Monday."
SLOW_START = Patience(away=60.0)
"""On a busy machine the models take longer to load than a call would wait."""
MEGABYTE = 1 << 20
WORKER = """
import asyncio, os, sys
from pathlib import Path
import psutil
from livekit import rtc
from pipelines.engine.shared_models import load_models
from pipelines.engine.turn_detector import TurnDetector
from pipelines.settings import ProviderSettings

async def work():
    models = await load_models(ProviderSettings(), Path(sys.argv[1]))
    before = psutil.Process().memory_info().rss
    stream = TurnDetector(models.local.end_of_turn).stream()
    stream.push_audio(rtc.AudioFrame(bytes(38_400), 16_000, 1, 19_200))
    event = await stream.predict()
    assert event.inference_duration is not None
    assert [pcm async for pcm in models.local.hibari.speak("Hello.", locale="en-US")]
    await stream.aclose()
    await models.aclose()
    return psutil.Process().memory_info().rss - before

grown = asyncio.run(work())
loaded = {"moonshine_voice", "hibari", "onnxruntime", "espeakng_loader"} & set(sys.modules)
assert not loaded, loaded
print(grown)
"""


class ModelProcess:
    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self.socket_path = models_socket(data_dir)
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "switchboard", "models", "--data-dir", str(self._data_dir)]
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def model_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelProcess]:
    running = ModelProcess(tmp_path_factory.mktemp("models"))
    yield running
    running.kill()


@pytest.fixture
async def worker(model_process: ModelProcess) -> AsyncIterator[RemoteModels]:
    models = await RemoteModels.connect(model_process.socket_path, SLOW_START)
    yield models
    await models.aclose()


async def test_texts_samples_and_probabilities_are_those_of_this_process(
    worker: RemoteModels, warm_models: WarmModels
) -> None:
    heard, here = spoken("I would like two tickets."), warm_models.local
    assert worker.moonshine
    assert worker.end_of_turn
    assert here.moonshine
    assert here.end_of_turn
    text = await worker.moonshine.transcribe(heard)
    assert words(text) == ["i", "would", "like", "two", "tickets"]
    assert text == await here.moonshine.transcribe(heard)
    last = heard[-19_200:]
    assert await worker.end_of_turn.predict(last) == await here.end_of_turn.predict(last)
    assert worker.hibari
    assert here.hibari
    assert worker.hibari.sample_rate == here.hibari.sample_rate
    assert await said(worker.hibari) == await said(here.hibari)
    assert worker.espeak
    assert here.espeak
    assert worker.espeak.sample_rate == here.espeak.sample_rate
    # Its samples depend on the languages that it has spoken in this process before.
    assert len(await said(worker.espeak)) == pytest.approx(len(await said(here.espeak)), rel=0.02)


async def said(voice: Voice) -> bytes:
    return b"".join([pcm async for pcm in voice.speak(TEXT, locale="en-US")])


async def test_it_gives_way_to_the_workers(
    model_process: ModelProcess, worker: RemoteModels
) -> None:
    assert psutil.Process(model_process.process.pid).nice() == os.nice(0) + NICENESS


async def test_a_worker_loads_none_of_the_models_itself(
    model_process: ModelProcess, worker: RemoteModels
) -> None:
    run = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", WORKER, str(model_process.socket_path)],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout.splitlines()[-1]) < 50 * MEGABYTE


async def test_what_a_killed_process_has_not_answered_the_next_one_does(
    model_process: ModelProcess, worker: RemoteModels
) -> None:
    assert worker.moonshine
    assert worker.hibari
    process = model_process.process
    process.send_signal(signal.SIGSTOP)  # So that it has the request, and no time for it.
    asked = asyncio.create_task(worker.moonshine.transcribe(spoken("My name is Anna Miller.")))
    speech = worker.hibari.speak(TEXT, locale="en-US")
    first = asyncio.ensure_future(anext(speech))
    await asyncio.sleep(0)
    model_process.kill()
    model_process.start()
    assert words(await asked) == ["my", "name", "is", "anna", "miller"]
    assert await first
    assert len([pcm async for pcm in speech]) == 1


async def test_a_call_goes_on_with_the_next_process(model_process: ModelProcess) -> None:
    models = await load_models(ProviderSettings(), model_process.socket_path)
    agent = AgentConfig.model_validate({"name": "Ada"})
    async with conversation(call_plan(agent), models) as talk:
        await talk.caller_says("My name is Anna Miller.")
        await talk.audio.agent_finishes()
        model_process.kill()
        model_process.start()
        await (await RemoteModels.connect(model_process.socket_path)).aclose()
        await talk.caller_says("Tomorrow afternoon would be fine.")
        await talk.messages("user", 2)
        assert words(talk.said_by("user")[1]) == "tomorrow afternoon would be fine".split()
    await models.aclose()


async def test_it_stops_when_it_is_told_to(model_process: ModelProcess) -> None:
    models = await RemoteModels.connect(model_process.socket_path)
    model_process.process.send_signal(signal.SIGTERM)
    assert await asyncio.to_thread(model_process.process.wait, 20) == 0
    await models.aclose()
    model_process.start()
