"""Which uses of tools are recorded: each once, with what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from livekit.agents import FunctionToolsExecutedEvent
from livekit.agents.llm import FunctionCall
from livekit.agents.voice import ToolCallEnded, ToolCallUpdated, ToolExecutionUpdatedEvent
from pydantic_core import from_json

from contracts.events import ToolCalled
from pipelines.texts.sendable_text import sendable

MOST_CHARACTERS = 10_000
"""Of a tool's arguments or output that are recorded."""
_LEVELS_AROUND = 20
"""Of the documents in which arguments travel: each reader takes 200 in all."""
NO_ANSWER = "The call ended before the tool answered."


class ToolOutcomes:
    """
    Args:
        record: gets each use.
        duration_ms: how long one use of a tool took, by the model's name for it.
    """

    def __init__(
        self, record: Callable[[ToolCalled], None], duration_ms: Callable[[str], int | None]
    ) -> None:
        self._record = record
        self._duration_ms = duration_ms
        self._deferred: dict[str, FunctionCall | ToolCallEnded | None] = {}
        """Uses that the engine waits for no longer, because the caller has spoken: it answers the
        model for them, and what comes of them comes later. What is known of each."""

    @property
    def is_any_late(self) -> bool:
        """Whether one that the engine waits for no longer is still at work."""
        return not all(isinstance(each, ToolCallEnded) for each in self._deferred.values())

    def updated(self, event: ToolExecutionUpdatedEvent) -> None:
        match event.update:
            case ToolCallUpdated(call_id=call_id):
                self._deferred.setdefault(call_id, None)
            case ToolCallEnded(call_id=call_id) as ended if call_id in self._deferred:
                call = self._deferred[call_id]
                if isinstance(call, FunctionCall):
                    self._note_late(call, ended)
                else:
                    self._deferred[call_id] = ended

    def executed(self, event: FunctionToolsExecutedEvent) -> None:
        for call, output in event.zipped():
            if call.call_id not in self._deferred:
                self._note(call, output.output, is_error=output.is_error)
                continue
            ended = self._deferred[call.call_id]
            if isinstance(ended, ToolCallEnded):
                self._note_late(call, ended)
            else:
                self._deferred[call.call_id] = call

    def finish(self) -> None:
        """The call is over. What still runs has no outcome."""
        for call in self._deferred.values():
            if isinstance(call, FunctionCall):
                self._note(call, NO_ANSWER, is_error=True)
        self._deferred.clear()

    def _note_late(self, call: FunctionCall, ended: ToolCallEnded) -> None:
        del self._deferred[call.call_id]
        self._note(call, ended.message or ended.status, is_error=ended.status != "done")

    def _note(self, call: FunctionCall, output: str, *, is_error: bool) -> None:
        self._record(
            ToolCalled(
                name=sendable(call.name),
                arguments=_arguments(sendable(call.arguments[:MOST_CHARACTERS])),
                output=sendable(output[:MOST_CHARACTERS]),
                is_error=is_error,
                duration_ms=self._duration_ms(call.call_id),
            )
        )


def _arguments(document: str) -> dict[str, Any]:
    """A model's tool arguments. Models do not always send a JSON object.

    Read as the engine reads them. ``json`` would also take halves of surrogate pairs and very deep
    nesting, which an event cannot hold. What just fits by itself would not fit into an event.
    """
    document = document or "{}"
    try:
        from_json("[" * _LEVELS_AROUND + document + "]" * _LEVELS_AROUND)
        arguments = from_json(document)
    except ValueError:
        return {"raw": document}
    return arguments if isinstance(arguments, dict) else {"raw": document}
