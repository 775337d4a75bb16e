from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import carriers
from carriers.account import CarrierName
from carriers.answers import Answer, Refusal, StreamOffer
from carriers.api import CarrierApi
from carriers.dialect import MediaStream
from carriers.registry import CARRIERS, carrier_named, carrier_of
from carriers.rest import carrier_client
from carriers.settings import CARRIER_BASE_URLS, CarrierSettings
from carriers.signed_request import Signatures
from carriers.spec import CarrierSpec
from contracts.dialing import LegStage
from tests.carriers.accounts import account_at

FILES = {"answer.py", "api.py", "carrier.py", "media_stream.py", "signature.py", "statuses.py"}
OFFER = StreamOffer(
    "call-1", "wss://a.example/media", "t0k3n", "https://a.example/status", is_answered=False
)


@pytest.fixture(params=CARRIERS, ids=lambda spec: spec.name)
def spec(request: pytest.FixtureRequest) -> CarrierSpec[Any]:
    found: CarrierSpec[Any] = request.param
    return found


def _methods(protocol: type) -> set[str]:
    return {name for name in vars(protocol) if not name.startswith("_")}


def test_every_carrier_is_registered_once() -> None:
    assert [spec.name for spec in CARRIERS] == list(CarrierName)
    assert set(CARRIER_BASE_URLS) == set(CarrierName)
    assert carrier_named("nobody") is None
    for name in CarrierName:
        assert carrier_named(name.value) is carrier_of(name)


def test_a_carrier_is_one_folder_of_the_same_files(spec: CarrierSpec[Any]) -> None:
    folder = Path(carriers.__file__).parent / spec.name
    assert {path.name for path in folder.glob("*.py")} >= FILES


async def test_every_part_is_there(spec: CarrierSpec[Any]) -> None:
    account = account_at(spec.name)
    assert isinstance(account, spec.credentials)
    async with carrier_client() as client:
        api = spec.api(account, CarrierSettings(), client)
    parts = [
        (spec.signatures(account), Signatures),
        (spec.media_stream(), MediaStream),
        (api, CarrierApi),
    ]
    for part, protocol in parts:
        for name in _methods(protocol):
            assert hasattr(part, name), f"{type(part).__name__} has no {name}"
            expected, found = getattr(protocol, name), getattr(type(part), name)
            if inspect.isfunction(expected):
                assert list(inspect.signature(found).parameters) == list(
                    inspect.signature(expected).parameters
                )


def test_every_answer_is_there(spec: CarrierSpec[Any]) -> None:
    answers = spec.answers
    given = [
        answers.connect_stream(OFFER),
        answers.refuse("call-1", Refusal.BUSY),
        answers.play_and_hang_up("call-1", "https://a.example/sorry.mp3"),
        answers.connect_phone("call-1", "+14155550100", "+14155550199"),
        answers.hang_up("call-1"),
        answers.acknowledge(),
    ]
    assert all(isinstance(answer, Answer) and 200 <= answer.status < 300 for answer in given)


def test_every_stage_after_dialing_has_a_status(spec: CarrierSpec[Any]) -> None:
    stages = {meaning.stage for meaning in spec.statuses.values()}
    assert stages >= {LegStage.ANSWERED, LegStage.ENDED}
    outcomes = [meaning for meaning in spec.statuses.values() if meaning.outcome is not None]
    assert all(meaning.stage is LegStage.ENDED for meaning in outcomes)


def test_a_replaced_address_is_used_without_its_slash() -> None:
    settings = CarrierSettings(base_urls={CarrierName.VONAGE: "http://127.0.0.1:9/"})
    assert settings.base_url(CarrierName.VONAGE) == "http://127.0.0.1:9"
    assert settings.vonage_numbers_base_url() == "http://127.0.0.1:9"
    assert settings.base_url(CarrierName.TWILIO) == "https://api.twilio.com"
