"""``switchboard call``: calls an agent with a synthetic voice or the microphone."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from switchboard.caller.measurements import percentile
from switchboard.caller.placed_call import CALL_ADVICE, Stopped
from switchboard.caller.report_view import ReportView
from switchboard.caller.reports import CallSummary
from switchboard.caller.words_of_end import words_of_end, words_of_failure
from switchboard.command_name import command_name
from switchboard.commands.api.access import ApiAccess, api_access
from switchboard.commands.api.session import INTERRUPTED
from switchboard.problems import Problem, client_errors_as_problems, show_problem

DEFAULT_LINES = ("Hello. Can you hear me?", "What can you do for me?", "Thank you. Goodbye.")
"""Said when neither --say nor --mic is given."""


@dataclass(frozen=True)
class CallOptions:
    """``api_url`` and ``api_key``: without them, those of the Switchboard that runs in ``data_dir``
    and of its demo account."""

    agent_id: str
    say: tuple[str, ...]
    microphone: bool
    api_url: str | None
    api_key: str | None = field(repr=False)
    data_dir: Path


def run_call(options: CallOptions) -> int:
    """Returns the exit code: 0 when the agent was heard and nothing failed, 130 after Ctrl-C before
    the call was connected, otherwise 1."""
    console = Console()
    try:
        with client_errors_as_problems(CALL_ADVICE):
            return asyncio.run(_call(options, console))
    except Problem as problem:
        show_problem(console, problem)
        return 1


async def _call(options: CallOptions, console: Console) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    access = api_access(options.data_dir, options.api_url, options.api_key)
    try:
        if options.microphone:
            return await _talk(access, options.agent_id, stop, console)
        return await _speak(access, options, stop, console)
    except Stopped:
        return INTERRUPTED


async def _speak(
    access: ApiAccess, options: CallOptions, stop: asyncio.Event, console: Console
) -> int:
    with console.status("Loading the caller's voice and recogniser …"):
        from switchboard.caller.call_session import call_agent
        from switchboard.caller.dialogue_policy import LineByLine
        from switchboard.caller.prepared_speech import prepare_speech
        from switchboard_client import AsyncSwitchboard

        policy = LineByLine(options.say or DEFAULT_LINES)
        try:
            speech = await prepare_speech(policy.lines())
        except ValueError as error:
            raise Problem(f"--say cannot be spoken: {error}.") from error
    async with AsyncSwitchboard(access.url, access.key) as api:
        with ReportView(console) as view:
            summary = await call_agent(api, options.agent_id, policy, speech, view.show, stop)
    _conclude(console, summary)
    if failure := words_of_failure(summary.ended_by, summary.end_reason):
        raise Problem(failure, f"More: {command_name()} calls show {summary.call_id}")
    return 0 if summary.opener_heard or any(turn.heard for turn in summary.turns) else 1


async def _talk(access: ApiAccess, agent_id: str, stop: asyncio.Event, console: Console) -> int:
    from switchboard.caller.microphone import Microphone
    from switchboard.caller.microphone_session import talk
    from switchboard.caller.placed_call import placed_call
    from switchboard_client import AsyncSwitchboard

    with Microphone() as microphone, ReportView(console) as view:
        async with (
            AsyncSwitchboard(access.url, access.key) as api,
            placed_call(api, agent_id, view.show, stop) as call,
        ):
            console.print("   You can speak now. Ctrl-C hangs up.", style="dim")
            ended_by, reason = await talk(call, microphone, view.show, stop)
    if failure := words_of_failure(ended_by, reason):
        raise Problem(failure, f"More: {command_name()} calls show {call.call_id}")
    return 0


def _conclude(console: Console, summary: CallSummary) -> None:
    ended = words_of_end(summary.ended_by, summary.end_reason)
    line = f"   {ended} after {summary.connected_seconds:.0f} s."
    latencies = summary.voice_to_voice_ms
    if latencies:
        median, worst = percentile(latencies, 50), max(latencies)
        line += f" Voice to voice: median {median:.0f} ms, longest {worst:.0f} ms."
    console.print()
    console.print(Text(line, style="dim"))
