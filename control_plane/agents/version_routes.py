"""Published versions of an agent: list, compare, roll back."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/agents", tags=["agents"])
