"""``/v1/calls/{call_id}/stream``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/calls", tags=["live view"])
