"""What the operator of an installation can choose about watching its processes."""

from __future__ import annotations

from pydantic import BaseModel, Field


class TelemetryOptions(BaseModel):
    """The command line reads these fields from the environment."""

    monitoring_host: str = "127.0.0.1"
    """Address on which a process answers ``/livez``, ``/readyz`` and ``/metrics``."""
    monitoring_port: int | None = Field(None, ge=1, le=65535)
    """Port for the same; without it a process answers none of them. ``up`` gives each of its
    processes a port of its own, from this one on."""
    otlp_endpoint: str | None = None
    """Where traces of calls are sent (OTLP over HTTP), such as ``http://127.0.0.1:4318``; without
    it none are made."""
