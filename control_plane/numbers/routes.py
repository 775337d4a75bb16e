"""Phone numbers that the operator gives to tenants."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/operator", tags=["operator"])
