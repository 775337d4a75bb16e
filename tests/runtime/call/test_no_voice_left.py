"""A call that nothing can speak for: its caller hears a tone and reads why."""

from __future__ import annotations

import asyncio
import contextlib
import re
import ssl
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import httpx2
import numpy as np

from contracts.call_plan import ProviderChoice, ResolvedChannel
from contracts.events import CallEnded
from contracts.live_messages import CallOver
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.call_actions import CallActions
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.providers.local.loaded_models import LoadedModels
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from runtime.call.call import Call
from runtime.conversation.conversation import CallRecord
from runtime.conversation.engine_conversation import EngineConversation
from runtime.media.room import ENGINE_OUTPUT_HZ, Room, Samples
from tests.pipelines.engine.channels.llm.two_vendors import closed_port
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.runtime.fakes import CALLER, EventList, FakePhrases, FakeRoom, no_recorded_apology
from tests.stand_ins.deepgram_wire import DeepgramWire

END_WORDS = Path(__file__).parents[3] / "control_plane/calling/call_page/static/end_words.js"
VOICE = ProviderChoice(provider="elevenlabs", model="eleven_flash_v2_5", voice="rachel")


@contextlib.asynccontextmanager
async def models_without_a_voice() -> AsyncIterator[WarmModels]:
    """None of a vendor, none of this machine, and no words that one has recorded."""

    async def nothing(heard: object) -> str:
        return ""

    async with (
        DeepgramWire(nothing).serving() as recogniser,
        aiohttp.ClientSession() as http_session,
        httpx2.AsyncClient() as http_client,
    ):
        network = GuardedNetwork(OutboundPolicy())
        yield WarmModels(
            settings=ProviderSettings(
                api_keys={"deepgram": "k", "elevenlabs": "k"},
                base_urls={
                    "deepgram": recogniser.base_url.removesuffix("/listen"),
                    "elevenlabs": f"http://127.0.0.1:{closed_port()}/v1",
                },
            ),
            local=LoadedModels(moonshine=None, hibari=None, espeak=None, end_of_turn=None),
            http_session=http_session,
            http_client=http_client,
            tls=ssl.create_default_context(),
            tenants_network=network,
            recorded_words=RecordedWords(ENGINE_OUTPUT_HZ, {}),
        )
        network.close()


async def test_a_caller_whom_no_voice_can_speak_to_hears_a_tone_and_reads_why() -> None:
    room, journal = FakeRoom(), EventList()
    heard: list[Samples] = []
    heard_before_the_reason: list[int] = []
    room.voice.push = heard.append  # type: ignore[method-assign]
    broadcast = room.broadcast

    def note_when(message: object) -> None:
        heard_before_the_reason.append(sum(each.size for each in heard))
        broadcast(message)  # type: ignore[arg-type]

    room.broadcast = note_when  # type: ignore[method-assign]
    recogniser = ResolvedChannel(primary=ProviderChoice(provider="deepgram", model="nova-3"))
    stack = LOCAL_STACK.model_copy(
        update={"stt": recogniser, "tts": ResolvedChannel(primary=VOICE)}
    )
    plan = call_plan(stack=stack)
    async with models_without_a_voice() as models:
        await models.prepare(plan)

        async def open_room() -> Room:
            return room

        def open_conversation(
            plan: object, room: Room, actions: CallActions, record: CallRecord
        ) -> EngineConversation:
            return EngineConversation(call.plan, room, actions, record, models)

        async def on_open() -> None:
            return

        call = Call(
            plan,
            journal,
            open_room=open_room,
            open_conversation=open_conversation,
            phrases=FakePhrases(),
            recorded_apology=no_recorded_apology,
        )
        async with asyncio.timeout(30), asyncio.TaskGroup() as group:
            group.create_task(call.answer_offer(CALLER, "caller", "offer"))
            await call.run(on_open)

    ended = journal.bodies[-1]
    assert isinstance(ended, CallEnded)
    assert ended.end_reason == "no_provider_connected"
    assert ended.detail is not None
    assert ended.detail.startswith("tts: elevenlabs/")

    tone = np.frombuffer(models.recorded_words.frame("en-US").data, np.int16)
    sound = np.concatenate(heard)
    assert np.array_equal(sound[: tone.size], tone)
    assert not np.any(sound[tone.size :])
    assert room.messages[-1] == CallOver(end_reason="no_provider_connected")
    assert heard_before_the_reason[-1] == sound.size
    written = re.search(r'no_provider_connected: "(.+)"', END_WORDS.read_text())
    assert written is not None
    assert "provider could not be reached" in written[1]
