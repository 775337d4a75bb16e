"""Telnyx's registration."""

from __future__ import annotations

from carriers.account import CarrierName, TelnyxCredentials
from carriers.api import DtmfWay
from carriers.spec import CarrierSpec
from carriers.telnyx.answer import TelnyxAnswers
from carriers.telnyx.api import TelnyxApi
from carriers.telnyx.media_stream import TelnyxMediaStream
from carriers.telnyx.signature import TelnyxSignatures
from carriers.telnyx.statuses import STATUSES
from carriers.telnyx.webhook import read_events

TELNYX = CarrierSpec(
    name=CarrierName.TELNYX,
    label="Telnyx",
    credentials=TelnyxCredentials,
    signatures=TelnyxSignatures,
    refused_status=403,
    statuses=STATUSES,
    read_events=read_events,
    answers=TelnyxAnswers(),
    media_stream=TelnyxMediaStream,
    api=TelnyxApi,
    dtmf=DtmfWay.REST,
    shares_application=True,
)
