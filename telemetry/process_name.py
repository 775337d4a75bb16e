"""The processes that can be run, checked and watched one by one."""

from __future__ import annotations

import enum


class ProcessName(enum.StrEnum):
    API = "api"
    JOBS = "jobs"
    WORKER = "worker"
    BRIDGE = "bridge"
    MODELS = "models"
