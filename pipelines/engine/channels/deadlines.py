"""How long a provider may take before the next one is asked."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

_Seconds = Annotated[float, Field(gt=0, le=60)]


class ProviderDeadlines(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    connect_seconds: _Seconds = 1.5
    """Until a connection is made and, for a socket, the provider has accepted it."""
    llm_first_token_seconds: _Seconds = 2.0
    """From the request to the first word or tool call."""
    tts_first_audio_seconds: _Seconds = 1.5
    """From the first text that can be spoken to the first sound."""
    idle_seconds: _Seconds = 1.5
    """Between two pieces of an answer or of speech that is not complete."""
    stt_no_text_seconds: _Seconds = 2.0
    """For which we hear a voice while the recogniser says nothing."""
    stt_final_seconds: _Seconds = 1.5
    """From the end of the voice to the final words."""
