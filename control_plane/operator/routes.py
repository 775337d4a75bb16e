"""``/v1/operator``: what only the installation's operator may do."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/operator", tags=["operator"])
