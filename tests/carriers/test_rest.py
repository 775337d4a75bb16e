"""What goes wrong between us and a carrier is told as a problem of the carrier."""

from __future__ import annotations

import ssl

import httpx2
import pytest

from carriers.api import CarrierProblem, ProblemKind
from carriers.rest import CarrierRest


class BrokenLine(httpx2.AsyncBaseTransport):
    """Its encryption breaks after the handshake."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        raise ssl.SSLError(1, "[SSL: DECRYPTION_FAILED_OR_BAD_RECORD_MAC]")


async def test_a_line_whose_encryption_breaks_counts_as_a_carrier_that_cannot_be_reached() -> None:
    async with httpx2.AsyncClient(transport=BrokenLine()) as client:
        rest = CarrierRest(client, "Twilio", "https://api.twilio.example", 1.0)
        with pytest.raises(CarrierProblem, match="Twilio cannot be reached") as caught:
            await rest.send("POST", "/Calls.json")
    assert caught.value.kind is ProblemKind.UNREACHABLE
