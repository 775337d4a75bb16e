"""Gives each tool call of a conversation an id of its own.

The engine finds the call that a result belongs to by its id, among all calls of the conversation.
Some servers with OpenAI's API begin to count again with each answer, or give no ids: then a model
would read an earlier call's result as the answer to a later one, or its call would not be made.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk


class ToolCallIds:
    """Of one answer.

    Args:
        messages: of the request for it, as they are sent.
    """

    def __init__(self, messages: Iterable[Mapping[str, Any]]) -> None:
        self._taken: set[str] = {
            call["id"] for message in messages for call in message.get("tool_calls") or ()
        }
        self._given: dict[tuple[int, str | None], str] = {}
        """By the place in the answer and the server's own id."""

    def amend(self, chunk: ChatCompletionChunk) -> None:
        """Call it with each chunk of the answer, in their order."""
        for choice in chunk.choices:
            for call in (choice.delta and choice.delta.tool_calls) or ():
                # The engine reads the id that stands beside the name.
                if call.function is None or not call.function.name:
                    continue
                own = call.index, call.id
                if own not in self._given:
                    self._given[own] = self._free(call.id)
                call.id = self._given[own]

    def _free(self, wanted: str | None) -> str:
        from livekit.agents.utils import shortuuid

        free = wanted if wanted and wanted not in self._taken else shortuuid("call_")
        self._taken.add(free)
        return free
