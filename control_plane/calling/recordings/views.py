"""Recordings as the API shows them, with signed addresses that expire."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.recording import RecordingFile
from control_plane.calling.recordings.file_token import FileAccess, encode_file_access
from control_plane.calling.recordings.models import Recording
from control_plane.calling.recordings.repository import latest_recording
from control_plane.calling.recordings.schemas import RecordingMetadata, RecordingView, SignedFile
from control_plane.calling.recordings.store_signer import signer_of
from control_plane.platform.settings import ControlPlaneSettings

CONTENT_TYPES: dict[RecordingFile, str] = {
    "stereo_mix.wav": "audio/wav",
    "stereo_mix.ogg": "audio/ogg",
}


async def find_recording_view(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, settings: ControlPlaneSettings
) -> RecordingView | None:
    """The call's latest recording; ``None`` if it was not recorded."""
    recording = await latest_recording(session, tenant_id, call_id)
    return None if recording is None else await recording_view(recording, settings)


async def recording_view(recording: Recording, settings: ControlPlaneSettings) -> RecordingView:
    """``recording`` with newly signed addresses."""
    return RecordingView(
        id=recording.id,
        status=recording.status,
        metadata=RecordingMetadata(
            stereo_mix=await _signed(recording, "stereo_mix.wav", recording.wav_bytes, settings),
            stereo_mix_ogg=await _signed(
                recording, "stereo_mix.ogg", recording.ogg_bytes, settings
            ),
            duration_ms=recording.duration_ms,
            detail=recording.detail,
        ),
    )


async def _signed(
    recording: Recording,
    file: RecordingFile,
    size_bytes: int | None,
    settings: ControlPlaneSettings,
) -> SignedFile | None:
    if recording.status != "completed" or size_bytes is None:
        return None
    ttl = timedelta(seconds=settings.recording_url_ttl_seconds)
    expires_at = datetime.now(UTC).replace(microsecond=0) + ttl
    signer = signer_of(settings.object_store_url)
    return SignedFile(
        signed_url=await signer.address(recording.folder + file, ttl)
        or _signed_by_us(recording, file, expires_at, settings),
        expires_at=expires_at,
        content_type=CONTENT_TYPES[file],
        size_bytes=size_bytes,
    )


def _signed_by_us(
    recording: Recording,
    file: RecordingFile,
    expires_at: datetime,
    settings: ControlPlaneSettings,
) -> str:
    access = FileAccess(recording.tenant_id, recording.call_id, recording.id, file)
    token = encode_file_access(access, settings.secret_key, expires_at)
    return f"{settings.public_url}/v1/recordings/{recording.id}/{file}?token={token}"
