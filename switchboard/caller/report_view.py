"""A caller's reports on a terminal: who says what, and how long each answer took."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live as LiveRegion
from rich.text import Text

from contracts.live_messages import Interrupted, LiveTranscript
from switchboard.caller.reports import (
    AgentAudible,
    Connected,
    ConnectionChanged,
    Live,
    Placed,
    Report,
    Saying,
)
from switchboard.transcript_line import transcript_line

_REFRESHES_PER_SECOND = 8


class ReportView:
    """Prints each finished utterance once, with the latency measured on the waveform. On a
    terminal, the unfinished utterance stands below and grows. A context manager.

    A latency belongs to the agent's utterance that became audible just before it; either of the
    two messages can arrive first.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._latency_ms: float | None = None
        self._growing: dict[int, LiveTranscript] = {}
        """The first message of each utterance that is not finished."""
        self._printed: set[tuple[int, str]] = set()
        """After a reconnection, the room tells again what was said."""
        self._region = LiveRegion(
            console=console, transient=True, refresh_per_second=_REFRESHES_PER_SECOND
        )

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._region.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._region.stop()

    def show(self, report: Report) -> None:
        match report:
            case Placed(call_id=call_id, agent_name=agent_name):
                self._note(f"Calling {agent_name}  ·  call {call_id}")
            case Connected(set_up_ms=set_up_ms):
                self._note(f"Connected in {set_up_ms:.0f} ms")
            case ConnectionChanged(state=state):
                self._note("Reconnecting …" if state == "reconnecting" else "Connected again")
            case AgentAudible(latency_ms=latency_ms):
                self._latency_ms = latency_ms or self._latency_ms
            case Saying(is_interruption=True):
                self._note("                  the caller cuts in …")
            case Live(body=LiveTranscript() as transcript):
                self._transcript(transcript)
            case Live(body=Interrupted()):
                self._note("                  … and the agent stops")
            case _:
                return

    def _transcript(self, transcript: LiveTranscript) -> None:
        told = (transcript.utterance, transcript.text)
        if told in self._printed:
            return
        first = self._growing.setdefault(transcript.utterance, transcript)
        if not transcript.is_final:
            self._region.update(
                transcript_line(first.at_ms, transcript.speaker, transcript.text, is_final=False)
            )
            return
        self._printed.add(told)
        del self._growing[transcript.utterance]
        self._region.update(Text(), refresh=True)
        latency_ms = None
        if transcript.speaker == "agent":
            latency_ms, self._latency_ms = self._latency_ms, None
        self._console.print(
            transcript_line(first.at_ms, transcript.speaker, transcript.text, latency_ms)
        )

    def _note(self, words: str) -> None:
        self._console.print(Text(f"   {words}", style="dim"))
