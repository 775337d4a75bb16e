"""The call as it happens, on a terminal: who says what, and how long each answer took."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from contracts.live_messages import Interrupted, LiveTranscript
from switchboard.caller.reports import (
    AgentAudible,
    Connected,
    Live,
    Placed,
    Report,
    Saying,
)

_SPEAKERS = {"agent": ("agent", "bold cyan"), "user": ("caller", "bold green")}
_MARGIN = 16


class LiveView:
    """Prints each finished utterance once, with the latency measured on the waveform.

    A latency belongs to the agent's utterance that began to sound just before; it is shown with
    it, whichever of the two messages comes first.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._latency_ms: float | None = None

    def show(self, report: Report) -> None:
        match report:
            case Placed(call_id=call_id, agent_name=agent_name):
                self._note(f"Calling {agent_name}  ·  call {call_id}")
            case Connected(set_up_ms=set_up_ms):
                self._note(f"Connected in {set_up_ms:.0f} ms")
                self._console.print()
            case AgentAudible(latency_ms=latency_ms):
                self._latency_ms = latency_ms or self._latency_ms
            case Saying(is_interruption=True):
                self._note("the caller cuts in …", indent=_MARGIN)
            case Live(body=LiveTranscript() as transcript) if transcript.is_final:
                self._utterance(transcript)
            case Live(body=Interrupted()):
                self._note("… the agent stops", indent=_MARGIN)
            case _:
                return

    def _utterance(self, transcript: LiveTranscript) -> None:
        speaker, style = _SPEAKERS[transcript.speaker]
        minutes, seconds = divmod(transcript.at_ms // 1000, 60)
        line = Text(f"   {minutes}:{seconds:02d}  ", style="dim")
        line.append(f"{speaker:<8}", style=style)
        text = Text(transcript.text)
        if transcript.speaker == "agent" and self._latency_ms is not None:
            text.append(f"  {self._latency_ms:.0f} ms", style="dim")
            self._latency_ms = None
        width = max(20, self._console.width - line.cell_len - 2)
        for index, part in enumerate(text.wrap(self._console, width)):
            self._console.print(line + part if index == 0 else Text(" " * line.cell_len) + part)

    def _note(self, words: str, indent: int = 3) -> None:
        self._console.print(Text(" " * indent + words, style="dim"))
