"""Describing an agent in words: generate, draft a field, ask the builder, enrich a company."""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(prefix="/v1/agents", tags=["agent builder"])
