"""``/v1/calls/{call_id}/summary`` and ``/reprocess``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/calls", tags=["post-call"])
