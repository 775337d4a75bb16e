"""The addresses of shared agents' pages. Pure."""

from __future__ import annotations

from contracts.sealing import CannotOpen
from control_plane.platform.settings import ControlPlaneSettings

VISITOR_PATH = "/s"


def page_of(token: str, settings: ControlPlaneSettings) -> str:
    """Where visitors talk to the agent. Source: API spec, "Tester and share link"."""
    return f"{settings.pages_url}{VISITOR_PATH}/{token}"


def shown_page(sealed_token: str, settings: ControlPlaneSettings) -> str:
    """As ``page_of``; empty if the installation has lost the key of the token."""
    try:
        return page_of(settings.sealer.open(sealed_token), settings)
    except CannotOpen:
        return ""
