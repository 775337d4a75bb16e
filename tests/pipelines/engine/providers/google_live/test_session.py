"""Conversations with a server of Google's Live API, without the engine's own part."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from livekit import rtc
from livekit.agents import llm

from contracts.call_plan import ProviderChoice
from pipelines.engine.providers.google import GOOGLE
from pipelines.engine.providers.google_live.session import GoogleLiveSession
from pipelines.engine.providers.spec import ModelRequest
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.outbound.self_signed import self_signed_certificate
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan
from tests.stand_ins.google_live import GoogleLiveServer
from tests.stand_ins.openai_realtime import Reply

FRAME = rtc.AudioFrame(bytes(640), 16_000, 1, 320)
"""20 ms."""
RESULT = llm.FunctionCallOutput(call_id="", name="find_slot", output="at nine", is_error=False)


@llm.function_tool
async def find_slot(day: str) -> str:
    """Finds a free slot."""
    return day


@dataclass(frozen=True)
class Talk:
    server: GoogleLiveServer
    session: GoogleLiveSession
    heard: list[llm.InputTranscriptionCompleted]
    errors: list[llm.RealtimeModelError]

    def caller_says(self, seconds: float = 1.0) -> asyncio.Future[llm.GenerationCreatedEvent]:
        self.voice(seconds)
        self.session.commit_audio()
        return self.session.generate_reply()

    def voice(self, seconds: float) -> None:
        self.session.push_audio(FRAME)
        self.session.start_user_activity()
        for _ in range(round(seconds / FRAME.duration)):
            self.session.push_audio(FRAME)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(5):
            while not condition():  # noqa: ASYNC110 - what the server notes tells nobody
                await asyncio.sleep(0.01)

    async def turn_is_over(self) -> None:
        """And the server has told how to resume the conversation."""
        handle = self.session._handle
        await self.until(lambda: self.session._handle != handle)


@contextlib.asynccontextmanager
async def talking(
    models: WarmModels, directory: Path, replies: Sequence[Reply], **options: Any
) -> AsyncIterator[Talk]:
    served, trusted = self_signed_certificate(directory, "127.0.0.1")
    async with GoogleLiveServer(served, replies, **options).serving() as server:
        settings = ProviderSettings(
            api_keys={"google": "key"}, base_urls={"google": server.base_url}
        )
        warm = replace(models, settings=settings, tls=trusted)
        choice = ProviderChoice(provider="google", model="gemini-3.8-live", voice="Puck")
        assert GOOGLE.realtime is not None
        model = GOOGLE.realtime(ModelRequest(choice, call_plan(), warm, NotedActions()))
        session = model.session()
        assert isinstance(session, GoogleLiveSession)
        talk = Talk(server, session, [], [])
        session.on("input_audio_transcription_completed", talk.heard.append)
        session.on("error", talk.errors.append)
        await session.update_instructions("Be brief.")
        await session.update_tools([find_slot])
        try:
            yield talk
        finally:
            await session.aclose()
            await model.aclose()


async def words(created: llm.GenerationCreatedEvent) -> str:
    return "".join(
        [part async for message in created.message_stream async for part in message.text_stream]
    )


async def calls(created: llm.GenerationCreatedEvent) -> list[llm.FunctionCall]:
    return [call async for call in created.function_stream]


def answered(session: GoogleLiveSession, call: llm.FunctionCall) -> llm.ChatContext:
    context = session.chat_ctx
    context.items += [call, RESULT.model_copy(update={"id": "r1", "call_id": call.call_id})]
    return context


async def test_the_caller_s_words_are_told_and_complete_with_the_answer(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    async with talking(warm_models, tmp_path, [Reply("Until six.")]) as talk:
        assert await words(await talk.caller_says()) == "Until six."
        await talk.until(lambda: talk.heard[-1].is_final)
        told = [(each.transcript, each.is_final) for each in talk.heard]
        assert told[-1] == ("What are your opening hours?", True)
        assert [is_final for _, is_final in told].count(True) == 1
        [seconds] = talk.server.heard_seconds
        assert seconds == pytest.approx(1.02)


async def test_a_tool_s_result_is_answered_without_another_request(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    replies = [Reply(tool=("find_slot", '{"day": "Monday"}')), Reply("At nine.")]
    async with talking(warm_models, tmp_path, replies) as talk:
        [call] = await calls(await talk.caller_says())
        assert (call.name, call.arguments) == ("find_slot", '{"day": "Monday"}')
        await talk.session.update_chat_ctx(answered(talk.session, call))
        assert await words(await talk.session.generate_reply()) == "At nine."
        [response] = talk.server.named("tool_response")
        [told] = response["functionResponses"]
        assert (told["id"], told["response"]) == (call.call_id, {"output": "at nine"})
        assert talk.server.named("client_content") == []


async def test_a_tool_that_may_not_be_used_now_is_refused_and_the_model_answers_without_it(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    replies = [Reply(tool=("find_slot", '{"day": "Monday"}')), Reply("I cannot look.")]
    async with talking(warm_models, tmp_path, replies) as talk:
        talk.voice(1.0)
        talk.session.commit_audio()
        asked = talk.session.generate_reply(tools=[])
        assert await words(await asked) == "I cannot look."
        [response] = talk.server.named("tool_response")
        assert "error" in response["functionResponses"][0]["response"]


async def test_a_sound_during_an_answer_ends_it_only_when_it_was_a_turn(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    replies = [Reply(" ".join(["and"] * 30)), Reply("Yes?")]
    async with talking(warm_models, tmp_path, replies) as talk:
        asked = talk.caller_says()
        first = await asked
        talk.voice(0.4)
        assert len((await words(first)).split()) == 30
        talk.session.commit_audio()
        talk.session.interrupt()
        assert await words(await talk.session.generate_reply()) == "Yes?"
        assert talk.server.heard_seconds[1] == pytest.approx(0.42)


async def test_new_tools_are_offered_when_nothing_is_lost_by_it(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    async with talking(warm_models, tmp_path, [Reply("Until six.")]) as talk:
        created = await talk.caller_says()
        await talk.session.update_tools([])
        assert await words(created) == "Until six."
        await talk.until(lambda: len(talk.server.setups) == 2)
        assert "tools" in talk.server.setups[0]
        assert "tools" not in talk.server.setups[1]
        assert await words(await talk.caller_says()) == "Until six."


@pytest.mark.parametrize("how", ["goes away", "breaks off"])
async def test_between_two_turns_another_connection_resumes_the_conversation(
    warm_models: WarmModels, tmp_path: Path, how: str
) -> None:
    async with talking(warm_models, tmp_path, [Reply("Until six.")]) as talk:
        await words(await talk.caller_says())
        await talk.turn_is_over()
        if how == "goes away":
            await talk.server.goes_away()
        else:
            talk.server.breaks_off()
        await talk.until(lambda: len(talk.server.setups) == 2)
        assert await words(await talk.caller_says()) == "Until six."
        assert talk.server.setups[1]["sessionResumption"]["handle"]
        assert talk.server.named("client_content") == []
        assert talk.errors == []


async def test_an_answer_that_nobody_wanted_ends_with_its_connection(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    replies = [Reply(" ".join(["and"] * 60)), Reply("Until six.")]
    async with talking(warm_models, tmp_path, replies) as talk:
        talk.voice(1.0)
        talk.session.commit_audio()
        talk.session.clear_audio()
        await talk.until(lambda: talk.server._replies == replies[1:])
        await talk.server.goes_away()
        await talk.until(lambda: len(talk.server.setups) == 2)
        async with asyncio.timeout(5):
            assert await words(await talk.caller_says()) == "Until six."


async def test_a_server_that_goes_away_in_the_middle_of_an_answer_says_it_to_its_end(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    answer = " ".join(["and"] * 10)
    async with talking(warm_models, tmp_path, [Reply(answer)]) as talk:
        created = await talk.caller_says()
        await talk.server.goes_away()
        assert await words(created) == answer
        await talk.until(lambda: len(talk.server.setups) == 2)
        assert talk.errors == []


async def test_a_connection_that_breaks_off_in_the_middle_is_an_error(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    replies = [Reply("Until six or so, I think.")]
    async with talking(warm_models, tmp_path, replies, fault="disconnect mid") as talk:
        await talk.caller_says()
        await talk.until(lambda: bool(talk.errors))
        assert not talk.errors[0].recoverable
        assert len(talk.server.setups) == 1


async def test_what_was_said_before_is_told_at_first(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    async with talking(warm_models, tmp_path, [Reply("Until six.")]) as talk:
        context = talk.session.chat_ctx
        context.add_message(role="assistant", content="Good day!")
        await talk.session.update_chat_ctx(context)
        await talk.until(lambda: bool(talk.server.named("client_content")))
        [told] = talk.server.named("client_content")
        assert told["turns"] == [{"role": "model", "parts": [{"text": "Good day!"}]}]
        assert not told.get("turnComplete")
        assert await words(await talk.caller_says()) == "Until six."


async def test_a_server_that_takes_no_second_connection_is_an_error(
    warm_models: WarmModels, tmp_path: Path
) -> None:
    async with talking(warm_models, tmp_path, [Reply("Until six.")]) as talk:
        await words(await talk.caller_says())
        await talk.turn_is_over()
        talk.server.fault = "500"
        talk.server.breaks_off()
        await talk.until(lambda: bool(talk.errors))
        assert len(talk.server.setups) == 2
        assert not talk.errors[0].recoverable
