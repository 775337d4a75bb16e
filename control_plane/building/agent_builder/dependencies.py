"""The platform's language model, for routes that can use one."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from control_plane.building.agent_builder.language_model import LanguageModel, ModelSlots
from control_plane.platform.http.dependencies import AppSettings


async def platform_model(request: Request, settings: AppSettings) -> LanguageModel | None:
    """``None`` where the installation has none. All requests of an app share its slots."""
    if settings.platform_llm is None:
        return None
    state = request.app.state
    if not hasattr(state, "model_slots"):
        state.model_slots = ModelSlots()
    return LanguageModel(settings.platform_llm, state.model_slots)


PlatformModel = Annotated[LanguageModel | None, Depends(platform_model)]
