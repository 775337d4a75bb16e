"""The operator's changes of the catalogue from the command line: a model of one's own, the fee."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from rich.console import Console
from rich.text import Text

from contracts.money import MICROS_PER_USD
from switchboard.commands.api.operator_access import OperatorAccess
from switchboard_client import AsyncSwitchboard

FIRST_RANK = 1
"""Chosen before all models of the data file, for agents that name none."""


@dataclass(frozen=True)
class OwnModel:
    """A language model that the operator's own server has. ``usd_per_minute``: its price."""

    model: str
    provider: str
    provider_name: str
    label: str
    usd_per_minute: Decimal


async def add_model(access: OperatorAccess, own: OwnModel, console: Console) -> None:
    body = {
        "provider": own.provider,
        "provider_name": own.provider_name,
        "model": own.model,
        "label": own.label,
        "channels": ["llm"],
        "languages": ["*"],
        "modality": "text",
        "rank": FIRST_RANK,
        "prices_micros_per_minute": {"llm": _micros(own.usd_per_minute)},
    }
    async with AsyncSwitchboard(access.url, access.token) as operator:
        await operator.request("PUT", "/v1/operator/catalogue/models", body=body)
    _say(
        console,
        f"{own.label} is in the catalogue, for ${own.usd_per_minute:f} a minute. "
        "Agents that name no language model use it from their next publishing on.",
    )


async def set_platform_fee(access: OperatorAccess, usd: Decimal, console: Console) -> None:
    body = {
        "component": "platform",
        "provider": "switchboard",
        "model": "platform",
        "micros_per_minute": _micros(usd),
    }
    async with AsyncSwitchboard(access.url, access.token) as operator:
        await operator.request("POST", "/v1/operator/catalogue/prices", body=body)
    _say(console, f"New calls pay a platform fee of ${usd:f} a minute.")


def _micros(usd: Decimal) -> int:
    return int(usd * MICROS_PER_USD)


def _say(console: Console, sentence: str) -> None:
    console.print(Text(sentence), soft_wrap=True)
