"""A carrier: its name and its five parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import httpx2

from carriers.account import AnyCredentials, CarrierName
from carriers.answers import Answers
from carriers.api import CarrierApi, DtmfWay
from carriers.call_events import CallEvent, StatusMeaning
from carriers.dialect import MediaStream
from carriers.settings import CarrierSettings
from carriers.signed_request import CarrierRequest, Signatures

C = TypeVar("C", bound=AnyCredentials)


@dataclass(frozen=True)
class CarrierSpec(Generic[C]):
    """
    Args:
        label: how people write the carrier's name.
        signatures: checks what comes to one account.
        refused_status: of the HTTP answer to a webhook whose signature is refused.
        statuses: every status of a call that the carrier knows.
        read_events: what a webhook reports. Never raises; empty for what is unknown or malformed.
        media_stream: one for each websocket.
        api: one for each account; the client is the caller's to close (``client.carrier_client``).
        shares_application: all numbers of an account have one webhook setting.
    """

    name: CarrierName
    label: str
    credentials: type[C]
    signatures: Callable[[C], Signatures]
    refused_status: int
    statuses: Mapping[str, StatusMeaning]
    read_events: Callable[[CarrierRequest], tuple[CallEvent, ...]]
    answers: Answers
    media_stream: Callable[[], MediaStream]
    api: Callable[[C, CarrierSettings, httpx2.AsyncClient], CarrierApi]
    dtmf: DtmfWay
    shares_application: bool
