"""``/v1/auth`` and ``/v1/me``."""

from __future__ import annotations

from fastapi import APIRouter

from control_plane.identity.accounts.login.routes import router as login
from control_plane.identity.accounts.me_routes import router as me

router = APIRouter(prefix="/v1", tags=["accounts"])
router.include_router(login)
router.include_router(me)
