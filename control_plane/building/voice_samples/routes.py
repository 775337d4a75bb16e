"""The route that lets people hear a voice."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from control_plane.building.voice_samples import service
from control_plane.building.voice_samples.errors import (
    VoiceNeedsKey,
    VoiceNotFound,
    VoiceNotSampled,
)
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.money.spending.dependencies import MeteredBuilder
from control_plane.money.spending.errors import SpendingLimited
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems

router = APIRouter(
    prefix="/v1/agents/voices",
    tags=["catalogue"],
    responses=problems(
        *MEMBER_ONLY, VoiceNotFound, VoiceNeedsKey, VoiceNotSampled, SpendingLimited
    ),
)
_SOUND: dict[str, dict[str, str]] = {"audio/mpeg": {}, "audio/wav": {}}


class SampleWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")
    provider: Annotated[str, StringConstraints(max_length=100)]
    id: Annotated[str, StringConstraints(max_length=200)] = Field(
        description="Of the voice, as `GET /v1/agents/voices` lists it."
    )
    text: Annotated[
        str | None, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)
    ] = Field(None, description="What it says. Default: a greeting in the voice's language.")


@router.post(
    "/sample",
    response_class=Response,
    responses={200: {"content": _SOUND, "description": "The sound"}},
)
async def sample_voice(
    wanted: SampleWanted,
    caller: MemberCaller,
    database: AppDatabase,
    settings: AppSettings,
    _metered: MeteredBuilder,
) -> Response:
    """Hear a voice say a sentence, as MP3 or WAV.

    Your key for its provider is used, or the platform's.

    It costs you nothing here, and counts as a request to the agent builder.
    """
    async with database.tenant_session(caller.tenant_id) as session:
        voice = await service.find_voice(session, wanted.provider, wanted.id)
        key = await service.key_for(session, caller.tenant_id, wanted.provider, settings)
        sentence = await service.sentence_of(session, voice, wanted.text)
    sound, media_type = await service.sample(wanted.provider, sentence, key, settings)
    return Response(sound, media_type=media_type, headers={"Cache-Control": "no-store"})
