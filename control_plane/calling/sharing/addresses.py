"""The addresses of shared agents' pages. Pure."""

from __future__ import annotations

from control_plane.platform.settings import ControlPlaneSettings

VISITOR_PATH = "/s"


def page_of(token: str, settings: ControlPlaneSettings) -> str:
    """Where visitors talk to the agent. Source: API spec, "Tester and share link"."""
    return f"{settings.pages_url}{VISITOR_PATH}/{token}"
