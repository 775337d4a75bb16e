"""Recordings: of a call, and the files behind signed addresses."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1", tags=["recordings"])
