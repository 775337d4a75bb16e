"""What providers' recognisers do that their plugins do not tell. Plan's provider names."""

from __future__ import annotations

TEXT_AFTER_VOICE = frozenset({"openai", "custom"})
"""Their first text may come after a pause, however long somebody speaks."""

END_COMES_LAST = frozenset({"deepgram", "elevenlabs", "local"})
"""They tell the end of speech after its words, so that an end without words means that there were
none. Others tell it first."""
