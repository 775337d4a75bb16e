"""``/v1/audit-log``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/audit-log", tags=["audit log"])
