"""``/v1/members`` and ``/v1/invitations``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1", tags=["members"])
