"""The caller's words in one turn, as the server writes them down bit by bit. Pure."""

from __future__ import annotations

from livekit.agents import llm
from livekit.agents.utils import shortuuid


class HeardWords:
    """The server does not say when they are complete. They are when the answer is.

    Args:
        began_at: when the turn began (``time.time()``).
    """

    def __init__(self, began_at: float) -> None:
        self.item_id = shortuuid("turn_")
        self._began_at = began_at
        self._text = ""
        self._is_complete = False

    def take(self, text: str) -> llm.InputTranscriptionCompleted | None:
        """The words until now; ``None`` if they come too late."""
        if self._is_complete:
            return None
        self._text += text
        return self._told(is_final=False)

    def complete(self) -> llm.InputTranscriptionCompleted | None:
        """All words, when this is called first and there are any."""
        if self._is_complete or not self._text.strip():
            return None
        self._is_complete = True
        return self._told(is_final=True)

    def _told(self, *, is_final: bool) -> llm.InputTranscriptionCompleted:
        return llm.InputTranscriptionCompleted(
            item_id=self.item_id,
            transcript=self._text.strip(),
            is_final=is_final,
            turn_started_at=self._began_at,
        )
