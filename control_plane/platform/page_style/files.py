"""The style sheet and the icon that pages of every floor share."""

from __future__ import annotations

from pathlib import Path

from control_plane.platform.http.page_files import PageFiles

STATIC = Path(__file__).parent / "static"


def page_style_files() -> PageFiles:
    """To be mounted at ``/page-style``."""
    return PageFiles(STATIC)
