"""``switchboard call``: a command-line caller."""

from __future__ import annotations

import asyncio
import signal
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.text import Text

from switchboard.api_access import api_access
from switchboard.caller.live_view import LiveView
from switchboard.caller.measurements import percentile
from switchboard.caller.problem_view import show_problem
from switchboard.caller.problems import CallProblem
from switchboard.caller.reports import CallSummary

DEFAULT_LINES = ("Hello. Can you hear me?", "What can you do for me?", "Thank you. Goodbye.")
"""Said when neither --say nor --mic is given."""


@dataclass(frozen=True)
class CallOptions:
    """``api_url`` and ``api_key`` default to what runs in ``data_dir`` and to the demo's key."""

    agent_id: str
    say: tuple[str, ...]
    microphone: bool
    api_url: str | None
    api_key: str | None = field(repr=False)
    data_dir: Path


def run_call(options: CallOptions) -> int:
    """Returns the exit code: 0 when the agent was heard, 1 when not, or when there was no call."""
    console = Console()
    try:
        return asyncio.run(_call(options, console))
    except CallProblem as problem:
        show_problem(console, problem.detail, problem.advice)
        return 1


async def _call(options: CallOptions, console: Console) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    access = api_access(options.data_dir, options.api_url, options.api_key)
    if options.microphone:
        return await _talk(access.url, access.key, options.agent_id, stop, console)
    return await _speak(access.url, access.key, options, stop, console)


async def _speak(
    api_url: str,
    api_key: str,
    options: CallOptions,
    stop: asyncio.Event,
    console: Console,
) -> int:
    with console.status("Loading the caller's voice and recogniser …"):
        from switchboard.caller.conversation import LineByLine
        from switchboard.caller.placing import call_agent
        from switchboard.caller.prepared_speech import prepare_speech
        from switchboard.caller.public_api import PublicApi

        conversation = LineByLine(options.say or DEFAULT_LINES)
        try:
            speech = await prepare_speech(conversation.lines())
        except ValueError as error:
            raise CallProblem(f"--say cannot be spoken: {error}.") from error
    async with PublicApi(api_url, api_key) as api:
        with LiveView(console) as view:
            summary = await call_agent(api, options.agent_id, conversation, speech, view.show, stop)
    _conclude(console, summary)
    return 0 if summary.opener_heard or any(turn.heard for turn in summary.turns) else 1


async def _talk(
    api_url: str,
    api_key: str,
    agent_id: str,
    stop: asyncio.Event,
    console: Console,
) -> int:
    from switchboard.caller.microphone import Microphone
    from switchboard.caller.microphone_session import talk
    from switchboard.caller.placing import place_call
    from switchboard.caller.public_api import PublicApi

    with Microphone() as microphone, LiveView(console) as view:
        async with PublicApi(api_url, api_key) as api:
            call = await place_call(api, agent_id, view.show)
            console.print("   Speak when you like. Ctrl-C hangs up.", style="dim")
            await talk(call, microphone, view.show, stop)
    return 0


def _conclude(console: Console, summary: CallSummary) -> None:
    ended_by = {"caller": "You hung up", "agent": "The agent hung up"}.get(
        summary.ended_by, "The connection was lost"
    )
    line = f"   {ended_by} after {summary.connected_seconds:.0f} s."
    latencies = summary.voice_to_voice_ms
    if latencies:
        median, worst = percentile(latencies, 50), max(latencies)
        line += f" Voice to voice: median {median:.0f} ms, longest {worst:.0f} ms."
    console.print()
    console.print(Text(line, style="dim"))
