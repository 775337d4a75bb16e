"""The caller in its own process: told by lines of JSON, and gone when nobody listens."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import psutil
import pytest

from switchboard.caller.dialogue_policy import Rule
from switchboard.caller.job import Dial
from switchboard.caller.reports import Connected, Finished, Report
from switchboard.caller.speech_models import Voice
from switchboard.demo.caller_process import CallerDied, CallerProcess
from switchboard.problems import Problem
from tests.switchboard.caller.whip_peer import AGENT_ID, API_KEY, FarEnd, serving

RULES = (Rule(when_heard=("how can I help",), say="No, thank you.", leave=True),)


def far_end() -> FarEnd:
    voice = Voice()
    return FarEnd([voice.speak(line).audio for line in ("How can I help you?", "Goodbye.")])


def dial(url: str, key: str = API_KEY) -> Dial:
    return Dial(api_url=url, api_key=key, agent_id=AGENT_ID)


async def test_it_holds_a_call_and_reports_it_to_the_end(tmp_path: Path) -> None:
    reports: list[Report] = []
    async with (
        serving(far_end()) as url,
        CallerProcess.starting(RULES, tmp_path / "caller.log") as caller,
    ):
        await caller.prepared()
        async with contextlib.aclosing(caller.dial(dial(url))) as following:
            async for report in following:
                reports.append(report)
    assert isinstance(reports[-1], Finished)
    summary = reports[-1].summary
    assert [turn.said for turn in summary.turns] == ["No, thank you."]
    assert "how can i help" in summary.opener_heard.lower()
    assert (tmp_path / "caller.log").read_text() == ""


async def test_a_refused_call_is_the_callers_own_problem(tmp_path: Path) -> None:
    async with (
        serving(far_end()) as url,
        CallerProcess.starting(RULES, tmp_path / "caller.log") as caller,
    ):
        await caller.prepared()
        with pytest.raises(Problem, match="not valid") as problem:
            async for _ in caller.dial(dial(url, key="wrong")):
                pass
    assert "--api-key" in problem.value.advice


async def test_stopping_it_in_a_call_leaves_that_in_good_order(tmp_path: Path) -> None:
    answering = far_end()
    async with (
        serving(answering) as url,
        CallerProcess.starting(RULES, tmp_path / "caller.log") as caller,
    ):
        await caller.prepared()
        async with contextlib.aclosing(caller.dial(dial(url))) as following:
            async for report in following:
                if isinstance(report, Connected):
                    break
        await caller.stop()
        assert answering.deletions == ["Bearer access-token"]


async def test_a_caller_that_is_killed_is_missed(tmp_path: Path) -> None:
    async with CallerProcess.starting(RULES, tmp_path / "caller.log") as caller:
        for child in psutil.Process().children():
            if "switchboard.caller" in child.cmdline():
                child.kill()
        with pytest.raises(CallerDied, match=r"caller\.log"):
            await caller.prepared()


async def test_it_ends_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    async with CallerProcess.starting(RULES, tmp_path / "caller.log") as caller:
        await caller.prepared()
        (process,) = [
            child
            for child in psutil.Process().children()
            if "switchboard.caller" in child.cmdline()
        ]
        await asyncio.wait_for(caller.stop(), 5)
        assert not process.is_running()
