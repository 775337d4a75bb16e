"""``/v1/members`` and ``/v1/invitations``."""

from __future__ import annotations

from fastapi import APIRouter

from control_plane.identity.members.invitation_routes import router as invitations
from control_plane.identity.members.member_routes import router as members

router = APIRouter(prefix="/v1", tags=["members"])
router.include_router(members)
router.include_router(invitations)
