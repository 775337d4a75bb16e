"""``/v1/calls/{call_id}/participants``: more people in a call."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/calls", tags=["calls"])
