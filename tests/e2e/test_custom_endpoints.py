"""Calls that listen, think and speak on the tenant's own servers, one that goes on without, and
those that cannot."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest

from pipelines.engine.providers.local.loaded_models import load_here
from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from switchboard.caller.reports import CallSummary
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.custom_transcriber import CustomTranscriber
from tests.stand_ins.custom_voice import CustomVoice
from tests.stand_ins.deepgram_wire import Behaviour, Samples, drops, status
from tests.stand_ins.openai_voice import OpenAIVoice
from tests.stand_ins.openai_wire import Answer, OpenAIWire, fails, says
from tests.stand_ins.voice_faults import VoiceFault

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

SECRET = "s3cret-of-the-tenant"
LINE = "What are your opening hours?"
ANSWER = "We are open from Monday to Friday."
PATIENT = {
    "SWITCHBOARD_LLM_FIRST_TOKEN_SECONDS": "10",
    "SWITCHBOARD_TTS_FIRST_AUDIO_SECONDS": "10",
    "SWITCHBOARD_PROVIDER_IDLE_SECONDS": "10",
    "SWITCHBOARD_STT_FINAL_SECONDS": "10",
}
"""The servers recognise and speak with real models, beside other tests on few cores."""
UNKNOWN_HERE = "km-KH"
"""Nothing on this machine understands or speaks it, and the platform has no sentences in it."""
HEARD_SECONDS = 3.0
"""Of sound, after which the recogniser is gone: the opener was heard by then."""


@dataclass(frozen=True)
class Enterprise:
    """A system whose tenant may use its own servers, and the certificate of those."""

    switchboard: LiveSwitchboard
    tls: ssl.SSLContext


@pytest.fixture(scope="module")
def enterprise(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Enterprise]:
    directory = tmp_path_factory.mktemp("tls")
    tls, _ = self_signed_certificate(directory, "127.0.0.1")
    with running_switchboard(
        SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS="127.0.0.1/32",
        SSL_CERT_FILE=str(directory / "server.pem"),
        **PATIENT,
    ) as switchboard:
        asyncio.run(_make_enterprise(switchboard))
        yield Enterprise(switchboard, tls)


@pytest.fixture
async def transcribe() -> AsyncIterator[Callable[[Samples], Awaitable[str]]]:
    local = await load_here()
    assert local.moonshine is not None
    yield local.moonshine.transcribe
    await local.aclose()


async def test_a_call_runs_on_the_tenant_s_own_servers_and_goes_on_without_them(
    enterprise: Enterprise, transcribe: Callable[[Samples], Awaitable[str]]
) -> None:
    switchboard, tls = enterprise.switchboard, enterprise.tls
    wire = OpenAIWire([says(ANSWER)], tls=tls)
    async with AsyncExitStack() as servers:
        await servers.enter_async_context(wire.serving())
        ears = await servers.enter_async_context(CustomTranscriber(tls, transcribe).serving())
        voice = await servers.enter_async_context(CustomVoice(tls).serving())
        compatible = await servers.enter_async_context(OpenAIVoice(tls=tls).serving())
        own = {
            "custom_llm_url": f"{wire.base_url}?key={SECRET}",
            "custom_transcriber_url": f"{ears.url}?key={SECRET}",
            "custom_voice_url": f"{voice.url}?key={SECRET}",
        }
        summary, events, charge = await _held_call(switchboard, own)
        wire.answer_to = lambda _: fails(500)
        compat = {"custom_voice_url": compatible.base_url, "custom_voice_mode": "compat"}
        unaided, warned, _ = await _held_call(switchboard, own | compat)
        logs = "".join(path.read_text() for path in (switchboard.data_dir / "logs").glob("*.log"))

    assert "monday to friday" in _heard(summary)
    assert _warnings(events) == []
    prices = {row["component"]: row["micros_per_minute"] for row in charge["metadata"]["prices"]}
    assert (prices["stt"], prices["llm"], prices["tts"]) == (0, 0, 0)
    assert prices["platform"] > 0
    assert any(LINE.lower() in str(asked["messages"]).lower() for asked in wire.requests)
    assert ANSWER in " ".join(voice.spoken)
    assert set(voice.paths) == {f"/speak?key={SECRET}"}
    assert {path.partition("?")[2] for path in wire.paths} == {f"key={SECRET}"}

    assert _heard(unaided).strip(), "the caller was not answered"
    assert compatible.requests
    [warning] = _warnings(warned)
    assert "llm: local/playbook took over from custom/" in warning
    assert SECRET not in str(events) + str(warned)
    assert "127.0.0.1" not in str(warned)
    assert SECRET not in logs


async def test_a_caller_whom_no_model_answers_twice_hears_why_and_the_call_has_failed(
    enterprise: Enterprise, transcribe: Callable[[Samples], Awaitable[str]]
) -> None:
    """In a language that the models of this machine do not know, so that none takes over, and in
    which the platform has no sentences."""
    switchboard, tls = enterprise.switchboard, enterprise.tls
    wire = OpenAIWire(answer_to=lambda _: fails(500), tls=tls)
    async with AsyncExitStack() as servers:
        await servers.enter_async_context(wire.serving())
        ears = await servers.enter_async_context(CustomTranscriber(tls, transcribe).serving())
        voice = await servers.enter_async_context(CustomVoice(tls).serving())
        own = {
            "language": "fi-FI",
            "supported_languages": ["fi-FI"],
            "playbook": {"opener": "Hello there.", "endCallMessage": "Have a lovely day."},
            "custom_llm_url": wire.base_url,
            "custom_transcriber_url": ears.url,
            "custom_voice_url": voice.url,
        }
        summary, events, _ = await _held_call(switchboard, own, lines=3)
        async with switchboard.api() as api:
            record = await api.request("GET", f"/v1/calls/{summary.call_id}")

    first, second = summary.turns
    assert "say that again" in first.heard.lower()
    assert "i have to end this" in second.heard.lower()
    assert "lovely day" not in " ".join(voice.spoken).lower(), "its own goodbye is cheerful"
    assert summary.ended_by == "agent"
    assert (record["status"], record["end_reason"]) == ("failed", "no_provider_connected")
    errors = [each["message"] for each in events if each["level"] == "error"]
    assert any("no model answered in two turns" in message for message in errors), events
    assert any("answered with status 500" in message for message in errors), events
    assert "127.0.0.1" not in str(events)


@pytest.mark.parametrize(
    ("channel", "why", "recorded"),
    [
        ("stt", "no_provider_connected (stt: custom/custom could not be reached, or", False),
        ("tts", "tts: recorded words took over from", True),
    ],
    ids=["stt", "tts"],
)
async def test_a_caller_whom_nothing_hears_or_speaks_to_hears_why_and_the_call_has_failed(
    enterprise: Enterprise,
    transcribe: Callable[[Samples], Awaitable[str]],
    channel: str,
    why: str,
    recorded: bool,
) -> None:
    """The last recogniser, or the last voice, fails in the call and stays away. What is heard then
    is said by a voice that works, or else was recorded when the worker started."""
    switchboard, tls = enterprise.switchboard, enterprise.tls
    behaviours = [drops(HEARD_SECONDS), status(500)] if channel == "stt" else [Behaviour()]
    voice = OpenAIVoice(tls=tls)

    def answer(asked: dict[str, Any]) -> Answer:
        if channel == "tts":
            voice.misbehaviour.fault = VoiceFault.BROKEN
        return says(ANSWER)

    wire = OpenAIWire(answer_to=answer, tls=tls)
    async with AsyncExitStack() as servers:
        await servers.enter_async_context(wire.serving())
        ears = CustomTranscriber(tls, transcribe, behaviours)
        await servers.enter_async_context(ears.serving())
        await servers.enter_async_context(voice.serving())
        own = {
            "language": UNKNOWN_HERE,
            "supported_languages": [UNKNOWN_HERE],
            "playbook": {"opener": "Hello there.", "endCallMessage": "Have a lovely day."},
            "custom_llm_url": wire.base_url,
            "custom_transcriber_url": ears.url,
            "custom_voice_url": voice.base_url,
            "custom_voice_mode": "compat",
        }
        summary, events, _ = await _held_call(switchboard, own, lines=3)
        async with switchboard.api() as api:
            record = await api.request("GET", f"/v1/calls/{summary.call_id}")

    assert "hello" in summary.opener_heard.lower()
    assert "have to end this" in f"{summary.opener_heard} {_heard(summary)}".lower(), summary
    asked_for = " ".join(str(each["input"]) for each in voice.requests).lower()
    assert ("have to end this" in asked_for) is not recorded
    assert "lovely day" not in asked_for, "its own goodbye is cheerful"
    assert summary.ended_by == "agent"
    assert summary.end_reason == "no_provider_connected"
    assert (record["status"], record["end_reason"]) == ("failed", "no_provider_connected")
    told = [each["message"] for each in events if each["level"] in ("warning", "error")]
    assert any(why in message for message in told), events
    if channel == "tts":
        assert any("answered with status 500" in message for message in told), events
    assert any(f"no_provider_connected ({channel}: " in message for message in told), events
    assert "127.0.0.1" not in str(events)


def _heard(summary: CallSummary) -> str:
    return " ".join(turn.heard for turn in summary.turns).lower()


def _warnings(events: list[Any]) -> list[str]:
    return [each["message"] for each in events if each["level"] == "warning"]


async def _make_enterprise(switchboard: LiveSwitchboard) -> None:
    headers = {"Authorization": f"Bearer {switchboard.operator_token}"}
    async with httpx2.AsyncClient(base_url=switchboard.api_url, headers=headers) as http:
        path = f"/v1/operator/tenants/{switchboard.account.tenant_id}"
        answer = await http.patch(path, json={"tier": "enterprise"})
        assert answer.status_code == 200, answer.text


async def _held_call(
    switchboard: LiveSwitchboard, own: dict[str, Any], *, lines: int = 1
) -> tuple[CallSummary, list[Any], dict[str, Any]]:
    """What a caller measured who says ``LINE`` so many times, the call's events, and its ledger
    entry."""
    conversation = LineByLine((LINE,) * lines)
    speech = await prepare_speech(conversation.lines())
    agent = {"name": "Desk", "playbook": {"opener": "Hello there."}, **own}
    async with switchboard.api() as api:
        agent_id = str((await api.agents.create(agent)).id)
        await api.agents.publish(agent_id)
        summary = await call_agent(
            api, agent_id, conversation, speech, lambda _: None, asyncio.Event()
        )
        await ended_call(api, summary.call_id)
        page = await api.request("GET", f"/v1/calls/{summary.call_id}/events")
        entries = (await api.request("GET", "/v1/billing/transactions"))["transactions"]
    charge = next(entry for entry in entries if entry["call_id"] == summary.call_id)
    return summary, page["events"], charge
