"""What is kept of a fact when nothing that was said may be kept. Pure."""

from __future__ import annotations

from contracts.events import EventBody, SlotsCollected, ToolCalled, TranscriptSegment


def without_words(body: EventBody) -> EventBody | None:
    """``body`` without what anybody said; ``None`` if nothing of it is left.

    Slots and a tool's arguments are the caller's words. A tool's output may repeat them.
    """
    match body:
        case TranscriptSegment() | SlotsCollected():
            return None
        case ToolCalled():
            return body.model_copy(update={"arguments": {}, "output": ""})
        case _:
            return body
