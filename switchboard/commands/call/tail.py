"""``switchboard calls tail``: a call as it happens, from its live view."""

from __future__ import annotations

import json

import typer
from rich.console import Console
from rich.text import Text

from switchboard.commands.api.session import Session, document_of
from switchboard.transcript_line import transcript_line
from switchboard_client import LiveEvent
from switchboard_client.models import (
    CallState,
    Interruption,
    ParticipantState,
    RecordingState,
    ToolUse,
    TurnLatency,
    Utterance,
)
from switchboard_client.wire_model import WireModel


async def tail(session: Session, call_id: str | None, *, follow: bool) -> None:
    """
    Raises:
        typer.Exit: no call was named and none is in progress.
    """
    if call_id is None:
        watched = await _newest_in_progress(session)
    else:
        # Following waits for a server that is away for a while. Asking first says at once that
        # there is no server, or no such call.
        watched = str((await session.client.calls.show(call_id)).id)
    view = TailView(session.console)
    async for event in session.client.calls.stream(watched, follow=follow):
        if session.as_json:
            typer.echo(_line(event))
        else:
            view.show(event)


async def _newest_in_progress(session: Session) -> str:
    page = await session.client.calls.active(limit=1)
    if not page.calls:
        session.notes.print("No call is in progress. To see one that is over, give its id.")
        raise typer.Exit(1)
    call_id = str(page.calls[0].id)
    session.notes.print(f"Call {call_id}", style="dim", highlight=False)
    return call_id


def _line(event: LiveEvent) -> str:
    data = document_of(event.data) if isinstance(event.data, WireModel) else event.data
    return json.dumps({"event": event.name, "id": event.id, "data": data}, ensure_ascii=False)


class TailView:
    """Prints each finished utterance once, even when the stream repeats it.

    A latency names the agent's utterance that it belongs to; either of the two can arrive first.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: set[tuple[str, int]] = set()
        self._latencies_ms: dict[tuple[str, int], int] = {}
        self._call_state: str | None = None

    def show(self, event: LiveEvent) -> None:
        match event.data:
            case Utterance(is_final=True) as said:
                self._utterance(said)
            case TurnLatency() as turn:
                for name in _names(turn):
                    self._latencies_ms[name] = turn.end_to_end_ms
            case CallState(state=state, end_reason=reason) if state != self._call_state:
                self._call_state = state
                self._note(f"call {state}" + (f": {reason}" if reason else ""))
            case ParticipantState(participant_id=participant_id, state=state):
                self._note(f"participant {participant_id} {state.replace('_', ' ')}")
            case Interruption():
                self._note("the caller cuts in")
            case ToolUse(name=name, is_error=is_error):
                self._note(f"tool {name}" + (" failed" if is_error else ""))
            case RecordingState(state=state):
                self._note(f"recording {state}")
            case _:
                return

    def _utterance(self, said: Utterance) -> None:
        names = _names(said)
        if self._shown.intersection(names):
            return
        self._shown.update(names)
        latencies = [self._latencies_ms[name] for name in names if name in self._latencies_ms]
        latency_ms = latencies[0] if latencies and said.speaker == "agent" else None
        self._console.print(transcript_line(said.at_ms, said.speaker, said.text, latency_ms))

    def _note(self, words: str) -> None:
        self._console.print(Text(f"   {words}", style="dim"))


def _names(message: Utterance | TurnLatency) -> list[tuple[str, int]]:
    """An utterance has a number while it is live, and a place in the transcript afterwards."""
    numbered = {"utterance": message.utterance, "sequence": message.sequence}
    return [(kind, number) for kind, number in numbered.items() if number is not None]
