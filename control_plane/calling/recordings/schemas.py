"""Recordings on the wire. Source: API spec, "Recording"."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from contracts.recording import SAMPLE_HZ
from control_plane.calling.recordings.models import RecordingStatus


class SignedFile(BaseModel):
    """One file of a recording. Range requests are answered."""

    signed_url: str = Field(description="Needs no key: whoever has it can listen until it expires.")
    expires_at: datetime
    content_type: str
    size_bytes: int


class RecordingChannels(BaseModel):
    left: Literal["caller"] = "caller"
    right: Literal["agent"] = "agent"


class RecordingMetadata(BaseModel):
    """``stereo_mix`` is WAV, ``stereo_mix_ogg`` the same as Opus in OGG; ``null`` until the
    recording is completed."""

    stereo_mix: SignedFile | None
    stereo_mix_ogg: SignedFile | None
    channels: RecordingChannels = RecordingChannels()
    sample_rate_hz: int = SAMPLE_HZ
    duration_ms: int | None
    detail: str | None = Field(description="What is missing, or why there is nothing.")


class RecordingView(BaseModel):
    """Its first sample is the call's start, the zero of the transcript's times."""

    id: UUID
    status: RecordingStatus
    format: Literal["wav"] = "wav"
    provider_recording_id: str | None = Field(
        None, description="Of a recording that a carrier made; this platform records by itself."
    )
    metadata: RecordingMetadata


class CallRecording(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "call_id": "0b4f6a5e-93f0-4c5e-8d4e-2d9b6c1f7a10",
                "recording": {
                    "id": "5f0c2f52-6a53-4b8e-9a51-0d8a4c1b7e22",
                    "status": "completed",
                    "format": "wav",
                    "provider_recording_id": None,
                    "metadata": {
                        "stereo_mix": {
                            "signed_url": "https://switchboard.example.com/v1/recordings/"
                            "5f0c2f52-6a53-4b8e-9a51-0d8a4c1b7e22/stereo_mix.wav?token=eyJ…",
                            "expires_at": "2026-03-01T12:00:00Z",
                            "content_type": "audio/wav",
                            "size_bytes": 5760044,
                        },
                        "stereo_mix_ogg": None,
                        "channels": {"left": "caller", "right": "agent"},
                        "sample_rate_hz": 24000,
                        "duration_ms": 60000,
                        "detail": None,
                    },
                },
            }
        }
    )
    call_id: UUID
    recording: RecordingView
