"""Plivo's registration."""

from __future__ import annotations

from carriers.account import CarrierName, PlivoCredentials
from carriers.api import DtmfWay
from carriers.plivo.answer import PlivoAnswers
from carriers.plivo.api import PlivoApi
from carriers.plivo.media_stream import PlivoMediaStream
from carriers.plivo.signature import PlivoSignatures
from carriers.plivo.statuses import STATUSES
from carriers.plivo.webhook import read_events
from carriers.spec import CarrierSpec

PLIVO = CarrierSpec(
    name=CarrierName.PLIVO,
    label="Plivo",
    credentials=PlivoCredentials,
    signatures=PlivoSignatures,
    refused_status=403,
    statuses=STATUSES,
    read_events=read_events,
    answers=PlivoAnswers(),
    media_stream=PlivoMediaStream,
    api=PlivoApi,
    dtmf=DtmfWay.REST,
    shares_application=True,
)
