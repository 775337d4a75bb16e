"""All vendors in one process of their own, so that their cost is apart."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection

from aiohttp import web

from bench.before_workers import run_before_workers
from bench.vendors.deepgram_listen import DeepgramListen
from bench.vendors.delays import DELAYS, Speed
from bench.vendors.elevenlabs_voice import ElevenLabsVoice
from bench.vendors.openai_chat import OpenAIChat
from bench.vendors.random_faults import Fault, RandomFaults
from contracts.call_plan import ProviderChoice, ResolvedChannel, ResolvedStack

STACK = ResolvedStack(
    stt=ResolvedChannel(primary=ProviderChoice(provider="deepgram", model="nova-3")),
    llm=ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1-mini")),
    tts=ResolvedChannel(
        primary=ProviderChoice(provider="elevenlabs", model="eleven_flash_v2_5", voice="bench")
    ),
)

PROVIDERS = ("deepgram", "openai", "elevenlabs")


def stack_fields() -> dict[str, str]:
    """``STACK`` as fields of an agent."""
    fields = {}
    for name, channel in (("stt", STACK.stt), ("llm", STACK.llm), ("tts", STACK.tts)):
        fields[f"{name}_provider"] = channel.primary.provider
        fields[f"{name}_model"] = channel.primary.model
    return fields


@dataclass(frozen=True)
class Vendors:
    base_urls: dict[str, str]
    """By provider."""
    pipe: Connection
    pid: int

    @property
    def settings(self) -> dict[str, str]:
        """With which an installation asks them."""
        settings = {}
        for provider, address in self.base_urls.items():
            settings[f"SWITCHBOARD_{provider.upper()}_BASE_URL"] = address
            settings[f"SWITCHBOARD_{provider.upper()}_API_KEY"] = "bench"
        return settings

    def used_seconds(self) -> float:
        """Processor time of the process until now."""
        self.pipe.send("used")
        used: float = self.pipe.recv()
        return used

    def faults(self) -> list[Fault]:
        """Those that they had until now."""
        self.pipe.send("faults")
        faults: list[Fault] = self.pipe.recv()
        return faults


@contextmanager
def serving_vendors(
    speed: Speed, faults_seed: int | None = None, faults_factor: float = 1.0
) -> Iterator[Vendors]:
    """``faults_seed``: they misbehave at random, so much more often than usual."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve_all, args=(theirs, speed, faults_seed, faults_factor))
    process.start()
    try:
        address: str = ours.recv()
        assert process.pid is not None
        yield Vendors({each: f"{address}/{each}" for each in PROVIDERS}, ours, process.pid)
    finally:
        process.kill()
        process.join()


def _serve_all(
    pipe: Connection, speed: Speed, faults_seed: int | None, faults_factor: float
) -> None:
    run_before_workers()
    asyncio.run(_serve(pipe, speed, faults_seed, faults_factor))


async def _serve(
    pipe: Connection, speed: Speed, faults_seed: int | None, faults_factor: float
) -> None:
    delays = DELAYS[speed]
    random_faults = RandomFaults(faults_seed or 0, faults_factor)
    app = web.Application(middlewares=[] if faults_seed is None else [random_faults.middleware])
    listen, chat, voice = DeepgramListen(delays), OpenAIChat(delays), ElevenLabsVoice(delays)
    app.router.add_post("/openai/chat/completions", chat.serve)
    # Some clients add the version to the address that they are given.
    for version in ("", "/v1"):
        app.router.add_get(f"/deepgram{version}/listen", listen.serve)
        app.router.add_get(
            f"/elevenlabs{version}/text-to-speech/{{voice}}/multi-stream-input", voice.serve
        )
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    pipe.send(f"http://127.0.0.1:{runner.addresses[0][1]}")
    loop = asyncio.get_running_loop()
    while asked := await loop.run_in_executor(None, pipe.recv):
        if asked == "faults":
            pipe.send(random_faults.faults)
        else:
            usage = resource.getrusage(resource.RUSAGE_SELF)
            pipe.send(usage.ru_utime + usage.ru_stime)
