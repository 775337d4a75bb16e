"""Moving an agent onto a managed SKU, and off it."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/agents", tags=["agents"])
