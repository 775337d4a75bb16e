"""``/v1/provider-keys``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/provider-keys", tags=["provider keys"])
