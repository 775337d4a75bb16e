"""Every figure of the example in docs/operator.md: the entries of the example for tenants, and the
margin of its calls."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text

from contracts.call_plan import (
    Channel,
    PlannedAgent,
    PricedUnit,
    PriceRow,
    ProviderChoice,
    ResolvedChannel,
    ResolvedStack,
    UnitPrice,
)
from contracts.money import MICROS_PER_USD, PLATFORM_FEE_MICROS_PER_MINUTE
from control_plane.calling.call_costs.cost_parts import CostPart, cost_parts
from control_plane.calling.calls.ending.actual_cost import actual_cost_micros
from control_plane.calling.calls.ending.bill import billed
from control_plane.calling.calls.ending.served_agents import ServedAgent, tariff_of
from control_plane.platform.database import Database
from tests.docs.test_billing_example import MODELS, post_the_example
from tests.pipelines.plans import call_plan

PAGE = (Path(__file__).parents[2] / "docs" / "operator.md").read_text()
EXAMPLE = PAGE.partition("### A worked example")[2].partition("\n### ")[0]
WORDS = " ".join(EXAMPLE.split())
ROW = re.compile(r"^\| ([a-z]+) \|" + r" (-?[\d.]+) \|" * 5 + "$", re.MULTILINE)
ROWS = {
    name: [int(Decimal(each) * MICROS_PER_USD) for each in row]
    for name, *row in ROW.findall(EXAMPLE)
}
ACCOUNTS = ("revenue", "payments", "disputes", "promotions")
TYPES = ("grant", "expiry", "topup", "bonus", "charge", "refund", "dispute")
CHANNELS: tuple[Channel, ...] = ("stt", "llm", "tts")


@pytest.fixture
async def database(postgres_url: str) -> AsyncIterator[Database]:
    database = Database(postgres_url, deadline_seconds=30)
    yield database
    await database.aclose()


def micros(pattern: str) -> list[int]:
    """The amounts of dollars in the example's text, in micro-dollars."""
    return [int(Decimal(each) * MICROS_PER_USD) for each in numbers(pattern)]


def numbers(pattern: str) -> list[str]:
    found = re.search(pattern, WORDS)
    assert found, pattern
    return [each.replace(",", "") for each in found.groups()]


async def test_entries_and_the_accounts_on_their_other_side(database: Database) -> None:
    tenant = await post_the_example(database)
    assert {name: ROWS[name][0] for name in TYPES} == await credit_by_type(database, tenant)
    by_account = await micros_by_account(database, tenant)
    assert dict(zip(ACCOUNTS, ROWS["sum"][1:], strict=True)) == {
        account: by_account.get(account, 0) for account in ACCOUNTS
    }
    assert [sum(column) for column in zip(*(ROWS[name] for name in TYPES), strict=True)] == ROWS[
        "sum"
    ]
    assert all(sum(ROWS[name]) == 0 for name in (*TYPES, "sum"))
    [left] = micros(r"has \$([\d.]+) left")
    assert left == ROWS["sum"][0]
    once, each_month = micros(r"granted credit is \$([\d.]+) and three months of \$([\d.]+)\.")
    assert once + 3 * each_month == ROWS["grant"][0]


def test_the_margin_of_the_calls() -> None:
    parts = parts_of_the_calls()
    for component in (*CHANNELS, "platform"):
        assert ROWS[component] == figures([each for each in parts if each.component == component])
    assert ROWS["total"] == figures(parts)
    assert ROWS["total"][0] == ROWS["sum"][1], "the revenue is the sum of the charges"


async def credit_by_type(database: Database, tenant: UUID) -> dict[str, int]:
    async with database.system_session() as session:
        rows = await session.execute(
            text(
                "SELECT transaction_type, sum(plan_micros + free_micros + purchased_micros)"
                " FROM ledger_entries WHERE tenant_id = :tenant GROUP BY 1"
            ),
            {"tenant": tenant},
        )
        return {row[0]: int(row[1]) for row in rows}


async def micros_by_account(database: Database, tenant: UUID) -> dict[str, int]:
    async with database.system_session() as session:
        rows = await session.execute(
            text(
                "SELECT counter_account, sum(micros) FROM counter_days"
                " WHERE tenant_id = :tenant GROUP BY 1"
            ),
            {"tenant": tenant},
        )
        return {row[0]: int(row[1]) for row in rows}


def figures(parts: list[CostPart]) -> list[int]:
    """As the margin report has them: revenue, both costs, both margins."""
    revenue = sum(each.revenue_micros for each in parts)
    planned = sum(each.planned_cost_micros for each in parts)
    actual = sum(each.actual_cost_micros for each in parts)
    return [revenue, planned, actual, revenue - planned, revenue - actual]


def parts_of_the_calls() -> list[CostPart]:
    """What the models used is reported for the last call, as if the others had used nothing."""
    rates = {**dict(zip(CHANNELS, MODELS, strict=True)), "platform": PLATFORM_FEE_MICROS_PER_MINUTE}
    prices = tuple(
        PriceRow.model_validate(
            {
                "price_id": uuid4(),
                "component": component,
                "provider": "p",
                "model": component,
                "micros_per_minute": rate,
            }
        )
        for component, rate in rates.items()
    )
    # Only its prices count here.
    agent = PlannedAgent.model_construct(agent_id=uuid4(), prices=prices)
    served = (ServedAgent(agent, 0),)
    durations = [int(each) for each in numbers(r"billed (\d+) s, (\d+) s and (\d+) s")]
    [minutes] = numbers(r"which are (\d+) minutes")
    assert sum(durations) == int(minutes) * 60
    nothing: dict[str, int | None] = dict.fromkeys(CHANNELS, 0)
    parts: list[CostPart] = []
    for seconds, actual in zip(durations, (nothing, nothing, actual_costs()), strict=True):
        charge = tariff_of(served).charge_micros(seconds)
        parts += cost_parts(billed(served, seconds, charge), actual)
    return parts


def actual_costs() -> dict[str, int | None]:
    minutes, tokens_in, tokens_out, characters = map(
        int,
        numbers(
            r"heard (\d+) minutes.* read ([\d,]+) tokens.* wrote ([\d,]+) at.* spoke ([\d,]+)"
            r" characters"
        ),
    )
    heard, read, written, spoken = micros(
        r"at \$([\d.]+) a minute.* at \$([\d.]+) and .* at \$([\d.]+) a million.* at \$([\d.]+) a"
        r" thousand"
    )
    unit_prices: dict[Channel, dict[PricedUnit, int]] = {
        "stt": {"audio_minute": heard},
        "llm": {"million_input_tokens": read, "million_output_tokens": written},
        "tts": {"thousand_characters": spoken},
    }
    chosen = {
        channel: ResolvedChannel(primary=ProviderChoice(provider="p", model=channel))
        for channel in CHANNELS
    }
    stack = ResolvedStack(stt=chosen["stt"], llm=chosen["llm"], tts=chosen["tts"])
    plan = call_plan(stack=stack).model_copy(
        update={
            "unit_prices": tuple(
                UnitPrice(
                    price_id=uuid4(),
                    channel=channel,
                    provider="p",
                    model=channel,
                    micros_per=micros_per,
                )
                for channel, micros_per in unit_prices.items()
            )
        }
    )
    return actual_cost_micros(
        plan,
        {
            "stt/p/stt": {"audio_ms": minutes * 60_000},
            "llm/p/llm": {"input_tokens": tokens_in, "output_tokens": tokens_out},
            "tts/p/tts": {"characters": characters},
        },
    )
