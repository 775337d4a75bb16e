"""``/v1/calls/batch``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/calls/batch", tags=["batches"])
