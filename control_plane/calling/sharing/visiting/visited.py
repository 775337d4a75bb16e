"""The share that a request visits: the token in the address is the authorisation."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Path, Request

from control_plane.calling.sharing.errors import ShareNotFound, ShareOriginNotAllowed
from control_plane.calling.sharing.visiting.admission import check_origin
from control_plane.calling.sharing.visiting.share import Share, find_share
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.settings import ControlPlaneSettings

ALWAYS = (ShareNotFound, ShareOriginNotAllowed, DatabaseUnavailable)
"""The problems of every route that has a ``Visited``."""
ShareToken = Annotated[str, Path(max_length=200, description="The last part of the link's `url`.")]


async def visited_share(
    share_token: ShareToken, request: Request, database: AppDatabase, settings: AppSettings
) -> Share:
    share = await find_share(database, share_token, settings)
    check_origin(share, request.headers.get("origin"), _own_origins(request, settings))
    return share


def _own_origins(request: Request, settings: ControlPlaneSettings) -> set[str]:
    """Of the link's own page: at the addresses that the operator has set, and at the one that this
    request was sent to."""
    host = request.headers.get("host", "")
    configured = (settings.public_url, settings.pages_url)
    return {
        f"http://{host}",
        f"https://{host}",
        *("{0.scheme}://{0.netloc}".format(urlsplit(url)) for url in configured),
    }


Visited = Annotated[Share, Depends(visited_share)]
