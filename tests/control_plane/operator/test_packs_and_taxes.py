"""Packs and taxes: each is added once, and ends once."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.control_plane.operator.conftest import OperatorClient

PACK = {"display_name": "$50", "price_cents": 5000, "bonus_cents": 500, "sort_order": 1}
TAX = {
    "country": "DE",
    "kind": "VAT",
    "percent": 19.0,
    "is_inclusive": False,
    "reverse_charge": True,
}


async def kept(operator: OperatorClient, path: str) -> list[str]:
    """The ids of those that hold now."""
    [found] = (await operator.ok("GET", path)).values()
    return [each["id"] for each in found]


@pytest.mark.parametrize(
    ("path", "wanted", "changed", "exists"),
    [
        ("/topup-packs", PACK, {"bonus_cents": 700, "display_name": "Fifty"}, "topup_pack_exists"),
        ("/tax-rates", TAX, {"percent": 20.0, "is_inclusive": True}, "tax_rate_exists"),
    ],
)
async def test_a_second_one_is_409_until_the_first_has_ended(
    operator: OperatorClient,
    path: str,
    wanted: dict[str, Any],
    changed: dict[str, Any],
    exists: str,
) -> None:
    first = await operator.ok("POST", path, wanted)
    assert first == first | wanted
    assert await operator.refused("POST", path, wanted | changed) == (409, exists)
    assert await kept(operator, path) == [first["id"]]
    await operator.ok("DELETE", f"{path}/{first['id']}")
    second = await operator.ok("POST", path, wanted | changed)
    assert second == second | wanted | changed
    assert await kept(operator, path) == [second["id"]]


@pytest.mark.parametrize(
    ("path", "wanted", "not_found"),
    [
        ("/topup-packs", PACK, "topup_pack_not_found"),
        ("/tax-rates", TAX, "tax_rate_not_found"),
    ],
)
async def test_ending_one_that_is_not_there_or_has_ended_is_404(
    operator: OperatorClient, path: str, wanted: dict[str, Any], not_found: str
) -> None:
    added = await operator.ok("POST", path, wanted)
    assert await operator.refused("DELETE", f"{path}/{uuid4()}") == (404, not_found)
    assert await kept(operator, path) == [added["id"]]
    assert await operator.ok("DELETE", f"{path}/{added['id']}") == {"id": added["id"]}
    assert await operator.refused("DELETE", f"{path}/{added['id']}") == (404, not_found)
    assert await kept(operator, path) == []
