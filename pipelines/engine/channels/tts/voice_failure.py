"""A voice did not speak what it was given."""

from __future__ import annotations


class VoiceFailed(Exception):
    """Its message is the reason, for an event (``model_failure``).

    Args:
        is_silence: it took the text and said nothing more. Another failure before any sound means
            that it took nothing.
    """

    def __init__(self, why: str, *, is_silence: bool = False) -> None:
        super().__init__(why)
        self.is_silence = is_silence
