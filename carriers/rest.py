"""Requests to a carrier's REST API, each with one time limit."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

import httpx2

from carriers.api import CarrierProblem, ProblemKind
from carriers.json_message import read_object

MAX_WORDS = 300
"""Of a carrier's own text in one of our messages."""
_KINDS = {
    401: ProblemKind.WRONG_CREDENTIALS,
    402: ProblemKind.NO_CREDIT,
    403: ProblemKind.NOT_ALLOWED,
    404: ProblemKind.NOT_FOUND,
    420: ProblemKind.REFUSED,
    429: ProblemKind.RATE_LIMITED,
}
_SUSPENDED = ("suspended", "deactivated", "disabled", "closed", "account blocked")


def carrier_client() -> httpx2.AsyncClient:
    """For the APIs of all carriers. The caller must close it."""
    return httpx2.AsyncClient(trust_env=False, follow_redirects=False)


@dataclass(frozen=True)
class Reply:
    status: int
    document: Mapping[str, Any]
    """Empty if the body is no JSON object."""
    text: str = field(repr=False)

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


class CarrierRest:
    """
    Args:
        label: the carrier's name, for messages.
        base_url: without a slash at its end.
        seconds: for one request as a whole.
    """

    def __init__(
        self, client: httpx2.AsyncClient, label: str, base_url: str, seconds: float
    ) -> None:
        self._client = client
        self._label = label
        self._base_url = base_url
        self._seconds = seconds

    async def send(
        self,
        method: str,
        path: str,
        *,
        auth: tuple[str, str] | None = None,
        bearer: str | None = None,
        query: Mapping[str, str] | None = None,
        form: Mapping[str, Any] | None = None,
        document: Mapping[str, Any] | None = None,
    ) -> Reply:
        """
        Raises:
            CarrierProblem: ``UNREACHABLE``: no answer in time, or the carrier's own fault (5xx).
        """
        try:
            async with asyncio.timeout(self._seconds):
                response = await self._client.request(
                    method,
                    self._base_url + path,
                    auth=auth,
                    headers={"Authorization": f"Bearer {bearer}"} if bearer else None,
                    params=query,
                    data=form,
                    json=document,
                    timeout=self._seconds,
                )
        except (TimeoutError, httpx2.TimeoutException):
            raise self._unreachable(f"did not answer within {self._seconds:g} s") from None
        # ``SSLError``: httpx2 translates those of the handshake only.
        except (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError) as error:
            raise self._unreachable(f"cannot be reached ({type(error).__name__})") from None
        if response.status_code >= 500:
            raise self._unreachable(f"answered with an error of its own ({response.status_code})")
        content = response.content
        return Reply(
            response.status_code, read_object(content) or {}, content.decode("utf-8", "replace")
        )

    def problem(
        self,
        reply: Reply,
        what: str,
        *,
        said: str | None = None,
        code: str | None = None,
        kind: ProblemKind | None = None,
    ) -> CarrierProblem:
        """What ``reply`` says against what we asked.

        Args:
            what: as in "Twilio did not place the call".
            said: the carrier's own words.
            kind: else it follows from the status and the words.
        """
        words = " ".join((said or "").split())[:MAX_WORDS].rstrip(".")
        kind = kind or self._kind(reply.status, words)
        if kind is ProblemKind.WRONG_CREDENTIALS:
            text = f"{self._label} does not accept the credentials"
        elif kind is ProblemKind.ACCOUNT_SUSPENDED:
            text = f"The account at {self._label} is suspended or closed"
        elif kind is ProblemKind.NO_CREDIT:
            text = f"The account at {self._label} has no credit left"
        else:
            text = f"{self._label} did not {what}"
        message = f"{text}: {words or _phrase(reply.status)}."
        return CarrierProblem(kind, message, code)

    def _kind(self, status: int, words: str) -> ProblemKind:
        if status in (401, 403) and any(word in words.lower() for word in _SUSPENDED):
            return ProblemKind.ACCOUNT_SUSPENDED
        return _KINDS.get(status, ProblemKind.REFUSED)

    def _unreachable(self, why: str) -> CarrierProblem:
        return CarrierProblem(
            ProblemKind.UNREACHABLE, f"{self._label} {why}. Try again in a moment."
        )


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
