"""Debits and corrections by the operator."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import text

from control_plane.money.billing.audits import repository as audit_repository
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import balance_of
from tests.control_plane.operator.conftest import OperatorClient, audit_log_of


def debits(tenant: TenantClient) -> str:
    return f"/tenants/{tenant.tenant_id}/debits"


def corrections(tenant: TenantClient) -> str:
    return f"/tenants/{tenant.tenant_id}/corrections"


def wanted(amount_usd: object, **fields: Any) -> dict[str, Any]:
    return {"amount_usd": amount_usd, "reason": "Refund", "posted_by": "mia@example.com"} | fields


async def transactions(tenant: TenantClient) -> list[dict[str, Any]]:
    shown: list[dict[str, Any]] = (await tenant.get("/v1/billing/transactions")).json()[
        "transactions"
    ]
    return shown


async def test_a_debit_is_in_the_balance_the_ledger_and_the_audit_log(
    operator: OperatorClient, tenant: TenantClient, database: Database
) -> None:
    posted = await operator.ok("POST", debits(tenant), wanted(2.5))
    assert (posted["amount_usd"], posted["balance_usd"]) == (-2.5, 7.5)
    assert posted["already_posted"] is False
    newest = (await transactions(tenant))[0]
    assert newest["id"] == posted["transaction_id"]
    assert (newest["transaction_type"], newest["amount_usd"]) == ("debit", -2.5)
    assert (newest["description"], newest["call_id"]) == ("Refund", None)
    assert newest["amount_seconds"] == -3000
    assert newest["metadata"] == {"posted_by": "mia@example.com"}
    entry = (await audit_log_of(tenant))[0]
    assert (entry["action"], entry["target_id"]) == ("debit.posted", posted["transaction_id"])
    assert entry["changes"] == {
        "amount_usd": -2.5,
        "reason": "Refund",
        "posted_by": "mia@example.com",
    }
    async with database.system_session() as session:
        assert await audit_repository.unbalanced_accounts(session) == []


async def test_a_correction_names_what_was_wrong_and_goes_both_ways(
    operator: OperatorClient, tenant: TenantClient, database: Database
) -> None:
    [welcome] = await transactions(tenant)
    down = await operator.ok("POST", corrections(tenant), wanted(-1, corrects=welcome["id"]))
    assert (down["amount_usd"], down["balance_usd"]) == (-1, 9)
    up = await operator.ok("POST", corrections(tenant), wanted(0.25, bucket="purchased"))
    assert (up["amount_usd"], up["balance_usd"]) == (0.25, 9.25)
    assert (await balance_of(tenant))["purchased_credits"] == 25
    shown = await transactions(tenant)
    assert [entry["transaction_type"] for entry in shown] == ["correction", "correction", "grant"]
    assert shown[1]["metadata"] == {"posted_by": "mia@example.com", "corrects": welcome["id"]}
    async with database.system_session() as session:
        assert await audit_repository.unbalanced_accounts(session) == []


async def test_free_credit_is_taken_first(operator: OperatorClient, tenant: TenantClient) -> None:
    credit = {"amount_usd": 5, "description": "Top-up", "bucket": "purchased"}
    await operator.ok("POST", f"/tenants/{tenant.tenant_id}/credits", credit)
    await operator.ok("POST", debits(tenant), wanted(11))
    balance = await balance_of(tenant)
    assert (balance["free_credits"], balance["purchased_credits"]) == (0, 400)


async def test_a_debit_leaves_what_calls_hold_and_a_correction_need_not(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    agent_id = await tenant.published_agent()
    caller = {"transport": "webrtc", "identity": "ada"}
    call = {"agent_id": str(agent_id), "participants": [caller]}
    assert (await tenant.post("/v1/calls", call)).status_code == 201
    refused = await operator.refused("POST", debits(tenant), wanted(10))
    assert refused == (409, "balance_too_low")
    assert (await balance_of(tenant))["balance_usd"] == 10
    corrected = await operator.ok("POST", corrections(tenant), wanted(-12))
    assert corrected["balance_usd"] == -2


@pytest.mark.parametrize(("path", "amount"), [(debits, 3), (corrections, -3)])
async def test_a_repeated_reference_is_posted_once(
    operator: OperatorClient, tenant: TenantClient, path: Any, amount: float
) -> None:
    body = wanted(amount, reference="ticket-4711")
    answers = await asyncio.gather(
        *(operator.request("POST", path(tenant), body) for _ in range(4))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 201]
    assert (await balance_of(tenant))["balance_usd"] == 7
    assert len(await transactions(tenant)) == 2


async def test_a_reference_stands_for_one_posting_of_any_type(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    taken = (409, "credit_reference_taken")
    await operator.ok("POST", debits(tenant), wanted(1, reference="r"))
    again = wanted(-1, reference="r")
    assert await operator.refused("POST", corrections(tenant), again) == taken
    assert await operator.refused("POST", debits(tenant), wanted(2, reference="r")) == taken
    credit = {"amount_usd": 1, "description": "x", "reference": "r"}
    path = f"/tenants/{tenant.tenant_id}/credits"
    assert await operator.refused("POST", path, credit) == taken


async def test_a_reference_stands_for_one_bucket_of_what_is_added(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    added = wanted(3, reference="r", bucket="purchased")
    await operator.ok("POST", corrections(tenant), added)
    assert (await operator.ok("POST", corrections(tenant), added))["already_posted"] is True
    refused = await operator.refused("POST", corrections(tenant), added | {"bucket": "free"})
    assert refused == (409, "credit_reference_taken")


async def test_only_the_tenants_own_transaction_can_be_corrected(
    operator: OperatorClient, tenant: TenantClient, other_tenant: TenantClient
) -> None:
    [foreign] = await transactions(other_tenant)
    for entry_id in (foreign["id"], str(uuid4())):
        refused = await operator.refused("POST", corrections(tenant), wanted(1, corrects=entry_id))
        assert refused == (404, "transaction_not_found")


async def test_an_unknown_tenant_is_404(operator: OperatorClient) -> None:
    for kind in ("debits", "corrections"):
        refused = await operator.refused("POST", f"/tenants/{uuid4()}/{kind}", wanted(1))
        assert refused == (404, "tenant_not_found")


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        (debits, wanted(0), "amount_usd"),
        (debits, wanted(-1), "amount_usd"),
        (debits, wanted(0.0000001), "amount_usd"),
        (debits, wanted(1, reason=""), "reason"),
        (debits, wanted(1, posted_by=" "), "posted_by"),
        (debits, {"amount_usd": 1, "reason": "x"}, "posted_by"),
        (debits, {"amount_usd": 1, "posted_by": "x"}, "reason"),
        (debits, wanted(1, bucket="free"), "bucket"),
        (corrections, wanted(0), "amount_usd"),
        (corrections, wanted(-1_000_001), "amount_usd"),
        (corrections, wanted(1, bucket="stolen"), "bucket"),
        (corrections, wanted(1, corrects="that one"), "corrects"),
        (corrections, wanted(1, currency="EUR"), "currency"),
    ],
)
async def test_a_wrong_adjustment_is_400_and_names_the_field(
    operator: OperatorClient, tenant: TenantClient, path: Any, body: dict[str, Any], field: str
) -> None:
    answer = await operator.request("POST", path(tenant), body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_a_tenants_own_key_posts_nothing(tenant: TenantClient) -> None:
    for kind in ("debits", "corrections"):
        path = f"/v1/operator/tenants/{tenant.tenant_id}/{kind}"
        answer = await tenant.post(path, wanted(1))
        assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


async def test_a_correction_is_booked_against_what_it_corrects(
    operator: OperatorClient, tenant: TenantClient, database: Database
) -> None:
    """So a charge that is taken back is no revenue. Both sides of each entry add up to nothing."""

    async def counter_accounts() -> dict[str, int]:
        async with database.system_session() as session:
            rows = await session.execute(
                text("SELECT counter_account, sum(micros) FROM counter_days GROUP BY 1")
            )
            return {account: int(micros) for account, micros in rows}

    async with database.tenant_session(tenant.tenant_id) as session:
        await session.execute(
            text(
                "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type,"
                " free_micros, purchased_micros, amount_seconds, description)"
                " VALUES (gen_random_uuid(), :t, 'call', 'charge', -2000000, 0, -60, 'Call')"
            ),
            {"t": tenant.tenant_id},
        )
    assert await counter_accounts() == {"promotions": -10_000_000, "revenue": 2_000_000}
    charge = (await transactions(tenant))[0]
    back = await operator.ok("POST", corrections(tenant), wanted(2, corrects=charge["id"]))
    taken = await operator.ok("POST", corrections(tenant), wanted(-1))
    assert (back["booked_against"], taken["booked_against"]) == ("revenue", "corrections")
    assert await counter_accounts() == {
        "promotions": -10_000_000,
        "revenue": 0,
        "corrections": 1_000_000,
    }
    balance = await balance_of(tenant)
    assert balance["balance_usd"] * 1_000_000 == -sum((await counter_accounts()).values())


async def test_a_correction_of_a_correction_goes_to_the_same_account(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    [welcome] = await transactions(tenant)
    wrong = await operator.ok("POST", corrections(tenant), wanted(-1, corrects=welcome["id"]))
    right = await operator.ok(
        "POST", corrections(tenant), wanted(0.5, corrects=wrong["transaction_id"])
    )
    assert (wrong["booked_against"], right["booked_against"]) == ("promotions", "promotions")
