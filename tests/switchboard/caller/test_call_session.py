"""Whole calls against a far end of known behaviour: real HTTP, Opus, RTP, DTLS, and real models."""

from __future__ import annotations

import asyncio
import time

import numpy as np
import pytest

from switchboard.caller.activity import WINDOW_SAMPLES, WINDOW_SECONDS, active_windows
from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import (
    DialoguePolicy,
    LineByLine,
    Rule,
    RuleFollower,
)
from switchboard.caller.placed_call import place_call
from switchboard.caller.prepared_speech import PreparedSpeech, prepare_speech
from switchboard.caller.reports import CallSummary, Connected, Report, Saying
from switchboard.caller.speech_models import Recogniser, Voice
from switchboard.problems import RequestRefused, ServerUnreachable
from switchboard_client import AsyncSwitchboard
from switchboard_client.webrtc.frame import Samples
from tests.switchboard.caller.whip_peer import (
    AGENT_ID,
    API_KEY,
    CALL_ID,
    REPLY_AFTER_SECONDS,
    FarEnd,
    serving,
)


def spoken(*lines: str) -> list[Samples]:
    voice = Voice()
    return [voice.speak(line).audio for line in lines]


def breathless(audio: Samples, longest_pause_ms: int = 60) -> Samples:
    """A caller who cuts in during a pause interrupts nothing that could still be heard."""
    kept: list[Samples] = []
    pause_windows = 0
    for index, is_active in enumerate(active_windows(audio)):
        pause_windows = 0 if is_active else pause_windows + 1
        if pause_windows * WINDOW_SECONDS * 1000 <= longest_pause_ms:
            kept.append(audio[index * WINDOW_SAMPLES : (index + 1) * WINDOW_SAMPLES])
    return np.concatenate(kept)


async def call(
    far_end: FarEnd, policy: DialoguePolicy, stop_at: type[Report] | None = None
) -> CallSummary:
    speech: PreparedSpeech = await prepare_speech(policy.lines())
    stop = asyncio.Event()

    def report(each: Report) -> None:
        if stop_at and isinstance(each, stop_at):
            stop.set()

    async with serving(far_end) as url, AsyncSwitchboard(url, API_KEY) as api:
        return await call_agent(api, AGENT_ID, policy, speech, report, stop)


async def test_both_sides_are_heard_and_the_caller_leaves_by_delete() -> None:
    far_end = FarEnd(
        spoken("Good morning, how can I help?", "On which day would you like to come?")
    )
    summary = await call(far_end, LineByLine(["I would like to book an appointment."]))
    assert "how can i help" in summary.opener_heard.lower()
    (turn,) = summary.turns
    assert "which day" in turn.heard.lower()
    assert Recogniser().transcribe(far_end.heard[0]) == "I would like to book an appointment."
    assert summary.ended_by == "caller"
    assert far_end.deletions == ["Bearer access-token"]


@pytest.mark.latency
async def test_voice_to_voice_is_the_far_ends_own_delay_plus_the_network() -> None:
    far_end = FarEnd(spoken("Good morning.", "Certainly."))
    summary = await call(far_end, LineByLine(["Hello there."]))
    delay_ms = REPLY_AFTER_SECONDS * 1000
    (latency_ms,) = summary.voice_to_voice_ms
    assert delay_ms < latency_ms < delay_ms + 400
    assert summary.first_sample_ms is not None
    assert 0 < summary.first_sample_ms < 500


@pytest.mark.latency
async def test_the_caller_cuts_in_and_measures_when_the_agent_falls_silent() -> None:
    long_line = (
        "A first check-up is fifty dollars, and we always tell you the price before we start, so"
        " that nobody who comes to us for the first time has to be afraid of the bill."
    )
    greeting, price, farewell = spoken("What can I do for you?", long_line, "Very well.")
    far_end = FarEnd([greeting, breathless(price), farewell])
    cut_in = Rule(when_heard=("fifty dollars", "$50"), say="Okay, that is fine.", interrupt=True)
    rules = (
        Rule(when_heard=("do for you",), say="How much is it?"),
        cut_in,
        Rule(when_heard=("very well",), say="Thank you. Goodbye.", leave=True),
    )
    summary = await call(far_end, RuleFollower(rules))
    assert far_end.interruptions == 1
    (stopped_after_ms,) = summary.barge_in_ms
    assert stopped_after_ms is not None
    assert 0 < stopped_after_ms < 500
    assert [turn.said for turn in summary.turns][:2] == ["How much is it?", cut_in.say]
    assert summary.turns[1].outcome == "answered"


async def test_a_call_that_the_agent_ends_is_over_for_the_caller() -> None:
    far_end = FarEnd(spoken("Goodbye."), hangs_up=True)
    summary = await call(far_end, LineByLine(["Thank you.", "This is never said."]))
    assert (summary.ended_by, summary.end_reason) == ("agent", "end_call_tool")
    assert [turn.said for turn in summary.turns] == ["Thank you."]


async def test_recognising_the_last_words_is_not_part_of_the_calls_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slowly(_recogniser: Recogniser, _audio: Samples) -> str:
        time.sleep(2.0)
        return "good morning"

    monkeypatch.setattr(Recogniser, "transcribe", slowly)
    far_end = FarEnd(spoken("Good morning, this is the clinic, how can I help you today?"))
    speech = await prepare_speech([])
    connected_at = 0.0
    hanging_up: list[asyncio.Task[None]] = []

    async def hang_up_in_the_middle() -> None:
        await asyncio.sleep(1.0)
        await far_end.hang_up()

    def report(each: Report) -> None:
        nonlocal connected_at
        if isinstance(each, Connected):
            connected_at = time.monotonic()
            hanging_up.append(asyncio.create_task(hang_up_in_the_middle()))

    async with serving(far_end) as url, AsyncSwitchboard(url, API_KEY) as api:
        summary = await call_agent(
            api, AGENT_ID, LineByLine([]), speech, report, stop=asyncio.Event()
        )
    assert summary.opener_heard == "good morning"
    assert summary.connected_seconds < far_end.hung_up_at - connected_at + 1.0


async def test_being_stopped_leaves_in_good_order() -> None:
    far_end = FarEnd(spoken("Good morning."))
    summary = await call(far_end, LineByLine(["Hello."] * 5), stop_at=Saying)
    assert summary.ended_by == "caller"
    assert far_end.deletions == ["Bearer access-token"]


@pytest.mark.parametrize(
    ("key", "agent_id", "status", "advice"),
    [
        ("wrong", AGENT_ID, 401, "--api-key"),
        (API_KEY, CALL_ID, 404, "switchboard agents list"),
    ],
)
async def test_a_refusal_says_what_is_wrong_and_what_to_do(
    key: str, agent_id: str, status: int, advice: str
) -> None:
    async with serving(FarEnd([])) as url, AsyncSwitchboard(url, key) as api:
        with pytest.raises(RequestRefused) as refused:
            await place_call(api, agent_id, lambda _: None)
    assert refused.value.status == status
    assert advice in refused.value.advice


async def test_no_server_is_named_with_its_address_and_the_command_that_starts_one() -> None:
    async with serving(FarEnd([])) as url:
        pass
    async with AsyncSwitchboard(url, API_KEY) as api:
        with pytest.raises(ServerUnreachable, match=r"switchboard up") as failure:
            await place_call(api, AGENT_ID, lambda _: None)
    assert url in failure.value.detail
