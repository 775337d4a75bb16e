"""``switchboard catalogue add-model`` and ``platform-fee``."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from switchboard.cli import app
from tests.switchboard.commands.stand_in_api import Asked, StandInApi

TOKEN = "Bearer sb_op_1"


def typed(api: StandInApi, data_dir: Path, *words: str) -> Result:
    access = ("--api-url", api.url, "--operator-token", "sb_op_1", "--data-dir", str(data_dir))
    return CliRunner().invoke(app, ["catalogue", *words, *access])


def test_a_model_of_ones_own_comes_first_and_is_free(api: StandInApi, tmp_path: Path) -> None:
    api.will("PUT", "/v1/operator/catalogue/models", 200, {"edited_at": "2026-01-05T09:30:00Z"})
    result = typed(api, tmp_path, "add-model", "llama3.2", "--provider-name", "Ollama")
    assert result.exit_code == 0, result.output
    model = {
        "provider": "openai_compatible",
        "provider_name": "Ollama",
        "model": "llama3.2",
        "label": "llama3.2",
        "channels": ["llm"],
        "languages": ["*"],
        "modality": "text",
        "rank": 1,
        "prices_micros_per_minute": {"llm": 0},
    }
    assert api.asked == [Asked("PUT", "/v1/operator/catalogue/models", model, TOKEN)]
    assert "llama3.2 is in the catalogue" in result.stdout


@pytest.mark.parametrize(
    ("usd", "micros"), [("0", 0), ("0.015", 15_000), ("0.000001", 1), ("12.34567", 12_345_670)]
)
def test_the_platform_fee_is_set_in_dollars_a_minute(
    api: StandInApi, tmp_path: Path, usd: str, micros: int
) -> None:
    api.will("POST", "/v1/operator/catalogue/prices", 201, {})
    result = typed(api, tmp_path, "platform-fee", usd)
    assert result.exit_code == 0, result.output
    assert api.asked[0].body["component"] == "platform"
    assert api.asked[0].body["micros_per_minute"] == micros


@pytest.mark.parametrize("words", [("platform-fee",), ("add-model", "llama3.2", "--price")])
@pytest.mark.parametrize(
    ("typed_usd", "why"),
    [
        ("nan", "nan is not in the range from 0 to 1000."),
        ("1000.01", "1000.01 is not in the range from 0 to 1000."),
        ("0.0000001", "0.0000001 has more than 6 decimal places."),
        ("a cent", "'a cent' is not an amount such as 0.015."),
    ],
)
def test_an_amount_that_cannot_be_a_price_is_refused(
    api: StandInApi, tmp_path: Path, words: tuple[str, ...], typed_usd: str, why: str
) -> None:
    result = typed(api, tmp_path, *words, typed_usd)
    assert result.exit_code == 2
    assert why in " ".join(result.stderr.replace("│", " ").split())
    assert not api.asked


def test_a_refusal_is_said_in_the_servers_words(api: StandInApi, tmp_path: Path) -> None:
    api.refuse("POST", "/v1/operator/catalogue/prices", 401, code="unauthorized", detail="No.")
    result = typed(api, tmp_path, "platform-fee", "0")
    assert result.exit_code == 1
    assert "No." in result.stderr
    assert "SWITCHBOARD_OPERATOR_TOKEN" in result.stderr
