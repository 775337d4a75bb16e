"""``/v1/do-not-call``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/do-not-call", tags=["do not call"])
