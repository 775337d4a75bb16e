"""What can be chosen: models, voices, managed SKUs, and stacks made of them."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1", tags=["catalogue"])
