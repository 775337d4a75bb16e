"""Whether an agent can be published, and publishing it."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/agents", tags=["agents"])
