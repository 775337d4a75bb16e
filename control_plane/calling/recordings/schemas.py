"""Recordings on the wire. Source: API spec, "Recording"."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from contracts.recording import SAMPLE_HZ
from control_plane.calling.recordings.models import RecordingStatus


class SignedFile(BaseModel):
    """One file of a recording. The address supports range requests."""

    signed_url: str = Field(
        description="Needs no key: anyone with the address can listen until it expires."
    )
    expires_at: datetime
    content_type: str
    size_bytes: int


class RecordingChannels(BaseModel):
    left: Literal["caller"] = "caller"
    right: Literal["agent"] = "agent"


class RecordingMetadata(BaseModel):
    """`stereo_mix` is a WAV file, `stereo_mix_ogg` the same audio as Opus in OGG; both are `null`
    until the recording is completed."""

    stereo_mix: SignedFile | None
    stereo_mix_ogg: SignedFile | None
    channels: RecordingChannels = RecordingChannels()
    sample_rate_hz: int = SAMPLE_HZ
    duration_ms: int | None
    detail: str | None = Field(
        description="What is missing from the recording, or why there is none."
    )


class RecordingView(BaseModel):
    """The recording starts with the call, so its times are those of the transcript."""

    id: UUID
    status: RecordingStatus
    format: Literal["wav"] = "wav"
    provider_recording_id: str | None = Field(
        None,
        description="Id of a recording made by a carrier; null, as this platform makes its own.",
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
