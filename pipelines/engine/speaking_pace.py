"""How fast the voice of a call speaks, so that a length of text is known as a length of sound."""

from __future__ import annotations

from pipelines.texts.language import primary_language

_EXPECTED = {"zh": 4.5, "ja": 7.0, "ko": 6.5}
_EXPECTED_ELSEWHERE = 15.0
"""Characters a second of calm speech; Hibari speaks 14 to 17."""
_ENOUGH_SECONDS = 3.0
_SLOWEST = 1.0
_FASTEST = 40.0


class SpeakingPace:
    """What is usual in the language, until the voice has spoken for ``_ENOUGH_SECONDS``; then what
    was measured of it."""

    def __init__(self, locale: str = "en") -> None:
        self._expected = _EXPECTED.get(primary_language(locale), _EXPECTED_ELSEWHERE)
        self._characters = 0
        self._seconds = 0.0

    def spoke(self, characters: int, seconds: float) -> None:
        """The voice made ``seconds`` of sound of so many ``characters``."""
        if characters and seconds > 0:
            self._characters += characters
            self._seconds += seconds

    @property
    def characters_per_second(self) -> float:
        if self._seconds < _ENOUGH_SECONDS:
            return self._expected
        return min(max(self._characters / self._seconds, _SLOWEST), _FASTEST)
