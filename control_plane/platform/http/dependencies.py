"""Dependencies of routes: the application's database and settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings


async def database_of(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


async def settings_of(request: Request) -> ControlPlaneSettings:
    settings: ControlPlaneSettings = request.app.state.settings
    return settings


AppDatabase = Annotated[Database, Depends(database_of)]
AppSettings = Annotated[ControlPlaneSettings, Depends(settings_of)]
