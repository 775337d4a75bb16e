"""``/v1/calls/queue``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/calls/queue", tags=["dialing queue"])
