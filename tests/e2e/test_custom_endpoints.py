"""Calls that listen, think and speak on the tenant's own servers, and one that goes on without."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pipelines.engine.providers.local.loaded_models import load_here
from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import prepare_speech
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.polling import ended_call
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.custom_transcriber import CustomTranscriber
from tests.stand_ins.custom_voice import CustomVoice
from tests.stand_ins.deepgram_wire import Samples
from tests.stand_ins.openai_voice import OpenAIVoice
from tests.stand_ins.openai_wire import OpenAIWire, fails, says

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


async def test_a_call_runs_on_the_tenant_s_own_servers_and_goes_on_without_them(
    tmp_path: Path,
) -> None:
    tls, _ = self_signed_certificate(tmp_path, "127.0.0.1")
    local = await load_here()
    moonshine = local.moonshine
    assert moonshine is not None

    async def transcribe(samples: Samples) -> str:
        return await moonshine.transcribe(samples)

    wire = OpenAIWire([says(ANSWER)], tls=tls)
    async with AsyncExitStack() as servers:
        await servers.enter_async_context(wire.serving())
        ears = await servers.enter_async_context(CustomTranscriber(tls, transcribe).serving())
        voice = await servers.enter_async_context(CustomVoice(tls).serving())
        compatible = await servers.enter_async_context(OpenAIVoice(tls=tls).serving())
        with ExitStack() as stack:
            running = running_switchboard(
                SWITCHBOARD_OUTBOUND_ALLOWED_NETWORKS="127.0.0.1/32",
                SSL_CERT_FILE=str(tmp_path / "server.pem"),
                **PATIENT,
            )
            switchboard = await asyncio.to_thread(stack.enter_context, running)
            await _make_enterprise(switchboard)
            own = {
                "custom_llm_url": f"{wire.base_url}?key={SECRET}",
                "custom_transcriber_url": f"{ears.url}?key={SECRET}",
                "custom_voice_url": f"{voice.url}?key={SECRET}",
            }
            heard, events, charge = await _held_call(switchboard, own)
            wire.answer_to = lambda _: fails(500)
            compat = {"custom_voice_url": compatible.base_url, "custom_voice_mode": "compat"}
            unaided, warned, _ = await _held_call(switchboard, own | compat)
            logs = "".join(
                path.read_text() for path in (switchboard.data_dir / "logs").glob("*.log")
            )
            await asyncio.to_thread(stack.close)
    await local.aclose()

    assert "monday to friday" in heard
    assert _warnings(events) == []
    prices = {row["component"]: row["micros_per_minute"] for row in charge["metadata"]["prices"]}
    assert (prices["stt"], prices["llm"], prices["tts"]) == (0, 0, 0)
    assert prices["platform"] > 0
    assert any(LINE.lower() in str(asked["messages"]).lower() for asked in wire.requests)
    assert ANSWER in " ".join(voice.spoken)
    assert set(voice.paths) == {f"/speak?key={SECRET}"}
    assert {path.partition("?")[2] for path in wire.paths} == {f"key={SECRET}"}

    assert unaided.strip(), "the caller was not answered"
    assert compatible.requests
    [warning] = _warnings(warned)
    assert "llm: local/playbook took over from custom/" in warning
    assert SECRET not in str(events) + str(warned)
    assert "127.0.0.1" not in str(warned)
    assert SECRET not in logs


def _warnings(events: list[Any]) -> list[str]:
    return [each["message"] for each in events if each["level"] == "warning"]


async def _make_enterprise(switchboard: LiveSwitchboard) -> None:
    headers = {"Authorization": f"Bearer {switchboard.operator_token}"}
    async with httpx2.AsyncClient(base_url=switchboard.api_url, headers=headers) as http:
        path = f"/v1/operator/tenants/{switchboard.account.tenant_id}"
        answer = await http.patch(path, json={"tier": "enterprise"})
        assert answer.status_code == 200, answer.text


async def _held_call(
    switchboard: LiveSwitchboard, own: dict[str, str]
) -> tuple[str, list[Any], dict[str, Any]]:
    """What the agent was heard to say after the caller's line, the call's events, and its ledger
    entry."""
    conversation = LineByLine((LINE,))
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
    heard = " ".join(turn.heard for turn in summary.turns).lower()
    return heard, page["events"], charge
