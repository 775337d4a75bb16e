"""The style sheet and the icon that pages of every floor share."""

from __future__ import annotations

from pathlib import Path

from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"


def page_style_files() -> StaticFiles:
    """To be mounted at ``/page-style``."""
    return StaticFiles(directory=STATIC)
