"""``/v1/operator/catalogue``: the operator edits what can be chosen."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/operator/catalogue", tags=["operator"])
