"""The API's connection to Redis."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated

from fastapi import Depends, Request

from control_plane.platform.errors import Problem
from control_plane.platform.link.redis_client import connect

LONGEST_REPLY_SECONDS = 6.0


class LinkUnavailable(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "link_unavailable"
    title = "The media workers cannot be reached"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(
            detail or "The link to the media workers is down; try again shortly",
            headers={"Retry-After": "2"},
        )


class Link:
    """Two clients: ``redis`` answers at once, ``patient_redis`` waits for workers' replies."""

    def __init__(self, redis_url: str) -> None:
        self.redis = connect(redis_url)
        self.patient_redis = connect(redis_url, longest_block_seconds=LONGEST_REPLY_SECONDS)

    async def aclose(self) -> None:
        await self.redis.aclose()
        await self.patient_redis.aclose()


async def link_of(request: Request) -> Link:
    link: Link = request.app.state.link
    return link


AppLink = Annotated[Link, Depends(link_of)]
