"""``/v1/auth`` and ``/v1/me``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1", tags=["accounts"])
