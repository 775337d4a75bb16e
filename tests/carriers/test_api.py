"""Our REST clients against the carriers' stand-ins: real HTTP, every carrier the same."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from pydantic import SecretStr

from carriers.account import AnyCredentials, CarrierName, TelnyxCredentials
from carriers.answers import ApiCommand
from carriers.api import (
    CarrierApi,
    CarrierProblem,
    Dial,
    DialRefused,
    MachineDetection,
    ProblemKind,
    WebhookAddresses,
)
from carriers.registry import carrier_of
from carriers.rest import carrier_client
from carriers.settings import CarrierSettings
from carriers.telnyx import api as telnyx_api
from contracts.dial_outcome import DialOutcome
from tests.carriers.accounts import TELNYX_KEY, VONAGE, account_at
from tests.stand_ins.carriers.account_of import carrier_for
from tests.stand_ins.carriers.carrier import BoundNumber, DialedPhone, StandInCarrier
from tests.stand_ins.carriers.telnyx import TelnyxWire
from tests.stand_ins.carriers.vonage import VonageWire

OURS = "+14155550199"
OTHER = "+14155550100"
WEBHOOKS = WebhookAddresses(
    "https://phones.example/voice", "https://phones.example/status", "Switchboard phones.example"
)
ANOTHER_SECRET = {
    CarrierName.TWILIO: "auth_token",
    CarrierName.TELNYX: "api_key",
    CarrierName.PLIVO: "auth_token",
    CarrierName.VONAGE: "api_secret",
}


@dataclass
class Account:
    carrier: CarrierName
    stand_in: StandInCarrier
    client: httpx2.AsyncClient
    credentials: AnyCredentials

    def api(self, credentials: AnyCredentials | None = None, seconds: float = 5.0) -> CarrierApi:
        settings = CarrierSettings(
            base_urls={self.carrier: self.stand_in.base_url}, request_seconds=seconds
        )
        made: CarrierApi = carrier_of(self.carrier).api(
            credentials or self.credentials, settings, self.client
        )
        return made

    def with_wrong_secret(self) -> CarrierApi:
        wrong = {ANOTHER_SECRET[self.carrier]: SecretStr("wr0ng")}
        return self.api(self.credentials.model_copy(update=wrong))


@pytest.fixture(params=list(CarrierName))
async def account(request: pytest.FixtureRequest) -> AsyncIterator[Account]:
    credentials = account_at(request.param)
    stand_in = carrier_for(credentials, telnyx_key=TELNYX_KEY)
    stand_in.numbers[OURS] = BoundNumber()
    async with stand_in.serving(), carrier_client() as client:
        yield Account(request.param, stand_in, client, credentials)


def _dial(**changes: Any) -> Dial:
    fields: dict[str, Any] = {
        "to_number": OTHER,
        "from_number": OURS,
        "voice_url": "",
        "status_url": "",
        "ring_timeout_seconds": 30,
        "reference": "attempt-1",
    }
    return Dial(**(fields | changes))


async def _problem(work: Any) -> CarrierProblem:
    with pytest.raises(CarrierProblem) as caught:
        await work
    return caught.value


async def test_right_credentials_are_verified(account: Account) -> None:
    await account.api().verify()


async def test_wrong_credentials_are_told_in_words(account: Account) -> None:
    problem = await _problem(account.with_wrong_secret().verify())
    assert problem.kind is ProblemKind.WRONG_CREDENTIALS
    label = carrier_of(account.carrier).label
    assert problem.message.startswith(f"{label} does not accept the credentials: ")
    assert "wr0ng" not in problem.message


async def test_a_suspended_account_is_told_in_words(account: Account) -> None:
    account.stand_in.is_suspended = True
    problem = await _problem(account.api().verify())
    assert problem.kind is ProblemKind.ACCOUNT_SUSPENDED
    assert "is suspended or closed" in problem.message


async def test_a_carrier_that_is_not_there_is_told_in_words(account: Account) -> None:
    settings = CarrierSettings(base_urls={account.carrier: "http://127.0.0.1:9"})
    api = carrier_of(account.carrier).api(account.credentials, settings, account.client)
    problem = await _problem(api.verify())
    assert problem.kind is ProblemKind.UNREACHABLE
    assert "cannot be reached" in problem.message


async def test_a_carrier_that_says_nothing_is_left_in_time(account: Account) -> None:
    account.stand_in.faults.rest_hangs = True
    problem = await _problem(account.api(seconds=0.2).verify())
    assert problem.kind is ProblemKind.UNREACHABLE
    assert "did not answer within 0.2 s" in problem.message


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (429, ProblemKind.RATE_LIMITED),
        (402, ProblemKind.NO_CREDIT),
        (403, ProblemKind.NOT_ALLOWED),
        (418, ProblemKind.REFUSED),
        (301, ProblemKind.REFUSED),
        (500, ProblemKind.UNREACHABLE),
        (503, ProblemKind.UNREACHABLE),
    ],
)
async def test_every_status_is_a_problem_with_a_sentence(
    account: Account, status: int, kind: ProblemKind
) -> None:
    account.stand_in.faults.rest_status = status
    api = account.api()
    for work in (
        api.verify(),
        api.prepare_account(WEBHOOKS),
        api.owns_number(OURS),
        api.bind_number(OURS, WEBHOOKS),
        api.dial(_dial()),
        api.transfer("c", OTHER, OURS, "https://phones.example/transfer"),
    ):
        if account.carrier is CarrierName.TWILIO and work.__name__ == "prepare_account":
            await work
            continue
        problem = await _problem(work)
        assert problem.kind is kind
        assert problem.message.endswith(".")


async def test_a_number_of_the_account_is_known_and_a_part_of_it_is_not(account: Account) -> None:
    api = account.api()
    assert await api.owns_number(OURS)
    assert not await api.owns_number(OURS[:-1])
    assert not await api.owns_number(OTHER)


async def test_a_number_is_bound_to_our_webhooks(account: Account) -> None:
    prepared = await account.api().prepare_account(WEBHOOKS)
    await account.api(prepared).bind_number(OURS, WEBHOOKS)
    bound = account.stand_in.numbers[OURS]
    assert bound.voice_url == WEBHOOKS.voice_url
    telnyx = account.carrier is CarrierName.TELNYX
    assert bound.status_url == (WEBHOOKS.voice_url if telnyx else WEBHOOKS.status_url)


@pytest.mark.parametrize("account", [CarrierName.TWILIO], indirect=True)
@pytest.mark.parametrize("answered_by", [{"VoiceApplicationSid": "AP1"}, {"TrunkSid": "TK1"}])
async def test_a_number_that_an_application_or_a_trunk_has_answered_comes_to_us(
    account: Account, answered_by: dict[str, str]
) -> None:
    """Twilio ignores the webhooks of such a number."""
    bound = account.stand_in.numbers[OURS]
    bound.answered_by |= answered_by
    await account.api().bind_number(OURS, WEBHOOKS)
    assert bound.voice_url == WEBHOOKS.voice_url
    assert not any(bound.answered_by.values())


async def test_a_number_of_somebody_else_is_not_bound(account: Account) -> None:
    prepared = await account.api().prepare_account(WEBHOOKS)
    problem = await _problem(account.api(prepared).bind_number(OTHER, WEBHOOKS))
    assert problem.kind is ProblemKind.NOT_FOUND
    assert OTHER in problem.message


async def test_unbinding_clears_only_a_setting_that_is_the_numbers_own(account: Account) -> None:
    api = account.api(await account.api().prepare_account(WEBHOOKS))
    await api.bind_number(OURS, WEBHOOKS)
    await api.unbind_number(OURS, WEBHOOKS)
    own = not carrier_of(account.carrier).shares_application
    assert account.stand_in.numbers[OURS].voice_url == ("" if own else WEBHOOKS.voice_url)
    await api.unbind_number(OTHER, WEBHOOKS)


async def test_unbinding_leaves_a_setting_that_somebody_else_has_made(account: Account) -> None:
    account.stand_in.numbers[OURS].voice_url = "https://elsewhere.example/voice"
    await account.api().unbind_number(OURS, WEBHOOKS)
    assert account.stand_in.numbers[OURS].voice_url == "https://elsewhere.example/voice"


async def test_preparing_an_account_twice_makes_one_application(account: Account) -> None:
    if not carrier_of(account.carrier).shares_application:
        assert await account.api().prepare_account(WEBHOOKS) == account.credentials
        return
    nothing: dict[str, Any] = dict.fromkeys(
        {"connection_id", "application_id", "private_key", "outbound_voice_profile_id"}
        & set(type(account.credentials).model_fields)
    )
    fresh = account.credentials.model_copy(update=nothing)
    wire: Any = account.stand_in.wire
    wire.applications.clear()
    first = await account.api(fresh).prepare_account(WEBHOOKS)
    again = await account.api(first).prepare_account(WEBHOOKS)
    lost = await account.api(fresh).prepare_account(WEBHOOKS)
    (identifier,) = wire.applications
    for credentials in (first, again, lost):
        assert identifier in dict(credentials).values()
        await account.api(credentials).bind_number(OURS, WEBHOOKS)
    assert again == first


@pytest.mark.parametrize("account", [CarrierName.PLIVO], indirect=True)
async def test_plivo_gets_a_name_of_letters_digits_and_hyphens(account: Account) -> None:
    fresh = account.credentials.model_copy(update={"application_id": None})
    wire: Any = account.stand_in.wire
    wire.applications.clear()
    await account.api(fresh).prepare_account(WEBHOOKS)
    (application,) = wire.applications.values()
    assert application["app_name"] == "Switchboard-phones-example"


async def test_a_call_is_dialed_and_hung_up(account: Account) -> None:
    account.stand_in.phones[OTHER] = DialedPhone(rings_on=True)
    api = account.api()
    call_id = await api.dial(_dial())
    line = account.stand_in.lines[call_id]
    assert (line.to_number, line.from_number) == (OTHER, OURS)
    assert not line.detects_machines
    await api.hang_up(call_id)
    await line.ended.wait()
    assert line.ended_as == "canceled"
    assert account.stand_in.open_lines == 0


async def test_hanging_up_what_is_over_or_unknown_is_no_error(account: Account) -> None:
    account.stand_in.phones[OTHER] = DialedPhone(ends_as="busy")
    api = account.api()
    call_id = await api.dial(_dial())
    await account.stand_in.lines[call_id].ended.wait()
    await api.hang_up(call_id)
    await api.hang_up(call_id)
    await api.hang_up("no-such/call?")


@pytest.mark.parametrize("detection", [MachineDetection.DETECT, MachineDetection.DETECT_AND_WAIT])
async def test_machine_detection_is_asked_for(
    account: Account, detection: MachineDetection
) -> None:
    account.stand_in.phones[OTHER] = DialedPhone(rings_on=True)
    call_id = await account.api().dial(_dial(machine_detection=detection))
    line = account.stand_in.lines[call_id]
    assert line.detects_machines
    if account.carrier is not CarrierName.PLIVO:
        waits = detection is MachineDetection.DETECT_AND_WAIT
        assert line.reference["waits_for_end"] == waits


async def test_a_number_that_is_none_is_unreachable(account: Account) -> None:
    problem = await _problem(account.api().dial(_dial(to_number="+1")))
    assert isinstance(problem, DialRefused)
    assert problem.outcome is DialOutcome.UNREACHABLE
    assert "did not place the call" in problem.message


async def test_a_dial_that_is_refused_or_not_answered_is_a_failed_attempt(account: Account) -> None:
    account.stand_in.faults.rest_status = 401
    refused = await _problem(account.api().dial(_dial()))
    account.stand_in.faults.rest_hangs = True
    unanswered = await _problem(account.api(seconds=0.2).dial(_dial()))
    for problem in (refused, unanswered):
        assert isinstance(problem, DialRefused)
        assert problem.outcome is DialOutcome.FAILED
    assert refused.kind is ProblemKind.WRONG_CREDENTIALS
    assert unanswered.kind is ProblemKind.UNREACHABLE


async def test_keys_are_sent_where_the_carrier_can(account: Account) -> None:
    account.stand_in.phones[OTHER] = DialedPhone(rings_on=True)
    api = account.api()
    call_id = await api.dial(_dial())
    if account.carrier is CarrierName.TWILIO:
        assert (await _problem(api.send_dtmf(call_id, "1"))).kind is ProblemKind.REFUSED
        return
    for digits in ("42#", "42#"):
        await api.send_dtmf(call_id, digits)
    assert account.stand_in.lines[call_id].sent_keys == "42#42#"


async def test_commands_of_a_call_that_is_over_are_no_error(account: Account) -> None:
    answers = carrier_of(account.carrier).answers
    await account.api().run(answers.hang_up("v3:gone").commands)


async def test_telnyx_plays_a_sentence_once_the_call_is_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It takes the command to answer before that, and refuses the next one."""
    monkeypatch.setattr(telnyx_api, "ANSWER_PAUSES_SECONDS", (0, 0, 0))
    received: list[tuple[str, dict[str, Any]]] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        action = request.url.path.rsplit("/", 1)[-1]
        received.append((action, json.loads(request.content)))
        if action == "playback_start" and len(received) < 4:
            errors = [{"code": "90034", "title": "Call not answered yet"}]
            return httpx2.Response(422, text=json.dumps({"errors": errors}))
        return httpx2.Response(200, text='{"data": {"result": "ok"}}')

    commands = carrier_of(CarrierName.TELNYX).answers.play_and_hang_up("v3:c", "").commands
    async with httpx2.AsyncClient(transport=httpx2.MockTransport(answer)) as client:
        credentials = account_at(CarrierName.TELNYX)
        assert isinstance(credentials, TelnyxCredentials)
        await telnyx_api.TelnyxApi(credentials, CarrierSettings(), client).run(commands)
    assert [action for action, _ in received] == ["answer", *["playback_start"] * 3]
    # One that Telnyx has seen would be ignored.
    assert ["command_id" in body for _, body in received] == [True, True, False, False]


async def test_twilio_says_that_a_country_is_switched_off() -> None:
    credentials = account_at(CarrierName.TWILIO)
    stand_in = carrier_for(credentials)
    stand_in.numbers[OURS] = BoundNumber()
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.TWILIO, stand_in, client, credentials).api()
        problem = await _problem(api.dial(_dial(to_number="+25261234567")))
        assert (problem.kind, problem.code) == (ProblemKind.NOT_ALLOWED, "21215")


async def test_telnyx_places_the_same_attempt_once() -> None:
    credentials = account_at(CarrierName.TELNYX)
    stand_in = carrier_for(credentials, telnyx_key=TELNYX_KEY)
    stand_in.numbers[OURS] = BoundNumber()
    stand_in.phones[OTHER] = DialedPhone(rings_on=True)
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.TELNYX, stand_in, client, credentials).api()
        assert await api.dial(_dial()) == await api.dial(_dial())
        assert len(stand_in.lines) == 1
        stand_in.faults.rest_status = 418
        with pytest.raises(CarrierProblem, match="did not explode the call"):
            await api.run([ApiCommand("/v2/calls/x/actions/explode", {})])


async def test_telnyxs_only_voice_profile_is_taken_and_a_choice_is_left_to_the_owner() -> None:
    credentials = account_at(CarrierName.TELNYX)
    stand_in = carrier_for(credentials, telnyx_key=TELNYX_KEY)
    wire = stand_in.wire
    assert isinstance(wire, TelnyxWire)
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.TELNYX, stand_in, client, credentials).api()
        prepared = dict(await api.prepare_account(WEBHOOKS))
        assert prepared["outbound_voice_profile_id"] == "profile-1"
        (application,) = wire.applications.values()
        assert application["application_name"] == "mine"
        assert application["outbound"] == {"outbound_voice_profile_id": "profile-1"}
        wire.profiles.append("profile-2")
        assert dict(await api.prepare_account(WEBHOOKS))["outbound_voice_profile_id"] is None


async def test_vonages_application_keeps_what_is_not_ours_and_signs_its_callbacks() -> None:
    credentials = account_at(CarrierName.VONAGE)
    stand_in = carrier_for(credentials)
    wire = stand_in.wire
    assert isinstance(wire, VonageWire)
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.VONAGE, stand_in, client, credentials).api()
        assert await api.prepare_account(WEBHOOKS) == credentials
        (application,) = wire.applications.values()
        assert application["name"] == "mine"
        assert application["capabilities"] == {
            "rtc": {"webhooks": {}},
            "voice": {
                "region": "eu-west",
                "signed_callbacks": True,
                "webhooks": {
                    "answer_url": {"address": WEBHOOKS.voice_url, "http_method": "POST"},
                    "event_url": {"address": WEBHOOKS.status_url, "http_method": "POST"},
                },
            },
        }
        await api.verify()


async def test_a_number_at_vonage_that_is_bound_keeps_its_sms_webhook() -> None:
    """A change of a number removes what it does not name."""
    credentials = account_at(CarrierName.VONAGE)
    stand_in = carrier_for(credentials)
    sms_url = "https://somebody.example/sms?key=1&to=us"
    stand_in.numbers[OURS] = bound = BoundNumber(sms_url=sms_url)
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.VONAGE, stand_in, client, credentials).api()
        await api.prepare_account(WEBHOOKS)
        await api.bind_number(OURS, WEBHOOKS)
    assert (bound.voice_url, bound.sms_url) == (WEBHOOKS.voice_url, sms_url)


async def test_vonages_application_is_found_on_a_later_page() -> None:
    stand_in = carrier_for(VONAGE)
    wire = stand_in.wire
    assert isinstance(wire, VonageWire)
    for number in range(150):
        wire.applications[str(number)] = {"id": str(number), "name": f"other {number}"}
    wire.applications["120"] |= {"name": WEBHOOKS.application_name, "keys": {"public_key": "old"}}
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.VONAGE, stand_in, client, VONAGE).api()
        assert dict(await api.prepare_account(WEBHOOKS))["application_id"] == "120"
        assert "BEGIN PUBLIC KEY" in wire.applications["120"]["keys"]["public_key"]
        assert len(wire.applications) == 150


async def test_vonage_says_that_a_key_is_not_the_applications() -> None:
    credentials = account_at(CarrierName.VONAGE)
    stand_in = carrier_for(credentials)
    wire = stand_in.wire
    assert isinstance(wire, VonageWire)
    for application in wire.applications.values():
        application["keys"] = {"public_key": "another"}
    async with stand_in.serving(), carrier_client() as client:
        api = Account(CarrierName.VONAGE, stand_in, client, credentials).api()
        problem = await _problem(api.verify())
        assert problem.kind is ProblemKind.NOT_ALLOWED
        assert "private key" in problem.message


async def test_plivo_says_that_the_balance_is_spent() -> None:
    credentials = account_at(CarrierName.PLIVO)
    settings = CarrierSettings()

    def answer(request: httpx2.Request) -> httpx2.Response:
        document = {"cash_credits": "-0.01", "auto_recharge": False}
        return httpx2.Response(200, text=json.dumps(document))

    transport = httpx2.MockTransport(answer)
    async with httpx2.AsyncClient(transport=transport) as client:
        api = carrier_of(CarrierName.PLIVO).api(credentials, settings, client)
        problem = await _problem(api.verify())
        assert problem.kind is ProblemKind.NO_CREDIT
        assert "-0.01" in problem.message


@pytest.mark.parametrize("body", ["", "null", "[]", "{", '{"data": 5}', "\ud800", "[" * 9999])
@pytest.mark.parametrize("status", [200, 400, 404])
async def test_an_answer_of_any_shape_is_a_problem_or_nothing(status: int, body: str) -> None:
    content = body.encode("utf-8", "surrogatepass")
    transport = httpx2.MockTransport(lambda request: httpx2.Response(status, content=content))
    async with httpx2.AsyncClient(transport=transport) as client:
        for name in CarrierName:
            api: CarrierApi = carrier_of(name).api(account_at(name), CarrierSettings(), client)
            for work in (
                api.verify(),
                api.prepare_account(WEBHOOKS),
                api.owns_number(OURS),
                api.bind_number(OURS, WEBHOOKS),
                api.unbind_number(OURS, WEBHOOKS),
                api.dial(_dial()),
                api.hang_up("c"),
            ):
                with suppress(CarrierProblem):
                    await work
