"""Why outsiders cannot call, and what is wrong with shares. Source: API spec, "Sharing"."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class ShareNotFound(NotFound):
    code = "share_not_found"
    title = "There is no such link"


class ShareLinksDisabled(NotFound):
    code = "share_links_disabled"
    title = "This installation has no public links"


class ShareLinkNotFound(NotFound):
    code = "share_link_not_found"
    title = "The agent has no public link yet"


class ShareLinkOff(Problem):
    status = HTTPStatus.CONFLICT
    code = "share_link_off"
    title = "This link is switched off"


class ShareLinkUnpublished(Problem):
    status = HTTPStatus.CONFLICT
    code = "share_link_unpublished"
    title = "The agent behind this link takes no calls at the moment"


class ShareLinkPoolEmpty(Problem):
    status = HTTPStatus.CONFLICT
    code = "share_link_pool_empty"
    title = "No minutes are left"


class ShareLinkBusy(Problem):
    status = HTTPStatus.CONFLICT
    code = "share_link_busy"
    title = "As many people as may call at a time are in a call"

    def __init__(self, limit: int, used: int) -> None:
        super().__init__(
            f"At most {limit} at a time may call through this link, and so many do; try again when "
            "a call is over",
            limit=limit,
            used=used,
        )


class ShareLinkRateLimited(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "share_link_rate_limited"
    title = "Too many calls from this network"

    def __init__(self, limit: int, retry_after_seconds: int) -> None:
        super().__init__(
            f"At most {limit} calls an hour from one network; try again in {retry_after_seconds} s",
            headers={"Retry-After": str(retry_after_seconds)},
            limit=limit,
            used=limit,
        )


class PayerNotAllowed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "payer_not_allowed"
    title = "This account cannot pay for the calls of this invitation"


class ShareOriginNotAllowed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "share_origin_not_allowed"
    title = "This link does not permit the page's origin"
