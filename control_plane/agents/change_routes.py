"""``POST /v1/agents/apply-changes``."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/agents", tags=["agents"])
