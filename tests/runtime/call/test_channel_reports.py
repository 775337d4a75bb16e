"""A model that fails is told in the call's events; a channel without a model ends the call."""

from __future__ import annotations

from typing import Any

from contracts.end_reasons import EndReason
from contracts.events import Logged, ModelSwitched
from pipelines.engine.channels.reports import ChannelSwitch
from runtime.call.channel_reports import CallChannelReports
from runtime.call.end_cause import CallFailure
from telemetry.metrics import PROVIDER_ERRORS, PROVIDER_SWITCHES
from tests.runtime.call.stage import Stage, connected, play

SWITCH = ChannelSwitch(
    channel="llm",
    failed="openai/gpt-4o",
    taken_over_by="local/playbook",
    why="no first word within 2 s",
    lost_ms=2001,
)


def count(metric: Any, provider: str) -> float:
    value: float = metric.labels(provider, "llm")._value.get()
    return value


def test_a_switch_is_a_warning_that_says_who_took_over_from_whom_and_why() -> None:
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.channel_reports.switched(SWITCH)
        stage.call.end_call()

    warnings = [body for body in play(script).journal.bodies if isinstance(body, Logged)]
    assert warnings == [
        Logged(
            level="warning",
            message="llm: local/playbook took over from openai/gpt-4o after 2001 ms: "
            "no first word within 2 s",
            switch=ModelSwitched(
                channel="llm",
                failed="openai/gpt-4o",
                taken_over_by="local/playbook",
                why="no first word within 2 s",
                lost_ms=2001,
            ),
        )
    ]


def test_a_switch_is_counted_by_the_provider_that_failed() -> None:
    failures: list[CallFailure] = []
    reports = CallChannelReports(lambda body: None, failures.append)
    switches, errors = count(PROVIDER_SWITCHES, "openai"), count(PROVIDER_ERRORS, "openai")
    reports.switched(SWITCH)
    passed_over = ChannelSwitch("llm", "openai/gpt-4o", "local/playbook", "why", 0, was_asked=False)
    reports.switched(passed_over)
    assert count(PROVIDER_SWITCHES, "openai") == switches + 2
    assert count(PROVIDER_ERRORS, "openai") == errors + 1
    assert failures == []


def test_a_channel_without_a_model_fails_the_call_after_an_apology() -> None:
    async def script(stage: Stage) -> None:
        await connected(stage)
        stage.call.channel_reports.exhausted("llm", "no model answered")

    stage = play(script)
    assert stage.ended.end_reason is EndReason.NO_PROVIDER_CONNECTED
    assert stage.ended.detail == "llm: no model answered"
    assert stage.conversation.said[-1] == "apology: farewell: no_provider_connected"
