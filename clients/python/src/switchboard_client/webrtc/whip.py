"""Signalling of one media session over HTTP, as in WHIP (RFC 9725), without trickle ICE."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urljoin
from uuid import uuid4

import httpx2
from pydantic import ValidationError

from switchboard_client.errors import ConnectionFailed, UnexpectedAnswer
from switchboard_client.transport import reply_of, unreachable
from switchboard_client.wire_model import WireModel

_SDP = "application/sdp"
_ANSWER_TIMEOUT_SECONDS = 15.0
_LEAVE_TIMEOUT_SECONDS = 3.0


@dataclass(frozen=True)
class IceServer:
    """A STUN or TURN server, in the form of ``RTCIceServer``."""

    urls: tuple[str, ...]
    username: str | None = None
    credential: str | None = None


class _IceServers(WireModel):
    ice_servers: tuple[IceServer, ...]


class WhipSession:
    """Offers, each with an answer, and one goodbye. A later offer replaces the connection; one that
    arrives after a later one is refused."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url
        self._authorization = {"Authorization": f"Bearer {token}"}
        self._name = uuid4().hex
        self._offers = 0
        self._resource: str | None = None

    async def ice_servers(self) -> tuple[IceServer, ...]:
        """The servers to connect through; none if the installation knows no such request.

        Raises:
            ServerUnreachable: there is no answer from the address.
            ApiError: the token is not accepted, or the call is over.
            UnexpectedAnswer: the answer does not come from Switchboard.
        """
        try:
            async with httpx2.AsyncClient(timeout=_ANSWER_TIMEOUT_SECONDS) as http:
                response = await http.get(f"{self._url}/ice-servers", headers=self._authorization)
        except httpx2.RequestError as error:
            raise unreachable(self._url, error) from error
        if response.status_code in (httpx2.codes.NOT_FOUND, httpx2.codes.METHOD_NOT_ALLOWED):
            return ()
        document = reply_of(response).document()
        try:
            return _IceServers.model_validate(document).ice_servers
        except ValidationError as error:
            raise _unexpected(response) from error

    async def exchange(self, offer_sdp: str) -> str:
        """Send the offer (all candidates inside) and return the SDP answer.

        Raises:
            ServerUnreachable: there is no answer from the address.
            ApiError: the offer, the token or the call is not accepted.
            UnexpectedAnswer: the answer does not come from Switchboard.
            ConnectionFailed: the answer has no ``Location``, which is needed to leave.
        """
        self._offers += 1
        headers = {
            **self._authorization,
            "Content-Type": _SDP,
            "Offer-Order": f"{self._name}/{self._offers}",
        }
        try:
            async with httpx2.AsyncClient(timeout=_ANSWER_TIMEOUT_SECONDS) as http:
                response = await http.post(self._url, content=offer_sdp.encode(), headers=headers)
        except httpx2.RequestError as error:
            raise unreachable(self._url, error) from error
        if not response.is_success:
            raise reply_of(response).error()
        media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if response.status_code != httpx2.codes.CREATED or media_type != _SDP:
            raise _unexpected(response)
        location = response.headers.get("Location")
        if not location:
            raise ConnectionFailed("The server's answer does not say how to leave the session.")
        try:
            self._resource = urljoin(self._url, location)
        except ValueError as error:
            raise _unexpected(response) from error
        return response.text

    async def leave(self) -> bool:
        """End the session. ``False`` if the server does not know it any more. Idempotent."""
        resource, self._resource = self._resource, None
        if resource is None:
            return False
        try:
            async with httpx2.AsyncClient(timeout=_LEAVE_TIMEOUT_SECONDS) as http:
                response = await http.delete(resource, headers=self._authorization)
        except httpx2.RequestError:
            return False  # The server notices when the media stops.
        return response.is_success


def _unexpected(response: httpx2.Response) -> UnexpectedAnswer:
    return UnexpectedAnswer(
        f"The answer ({response.status_code}) to {response.request.method} {response.url} is not "
        "that of a call. Is this the address of a Switchboard?"
    )
