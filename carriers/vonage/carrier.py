"""Vonage's registration."""

from __future__ import annotations

from carriers.account import CarrierName, VonageCredentials
from carriers.api import DtmfWay
from carriers.spec import CarrierSpec
from carriers.vonage.answer import VonageAnswers
from carriers.vonage.api import VonageApi
from carriers.vonage.media_stream import VonageMediaStream
from carriers.vonage.signature import VonageSignatures
from carriers.vonage.statuses import STATUSES
from carriers.vonage.webhook import read_events

VONAGE = CarrierSpec(
    name=CarrierName.VONAGE,
    label="Vonage",
    credentials=VonageCredentials,
    signatures=VonageSignatures,
    # Vonage sends a refused webhook again, signed, only after an error of the server.
    refused_status=503,
    statuses=STATUSES,
    read_events=read_events,
    answers=VonageAnswers(),
    media_stream=VonageMediaStream,
    api=VonageApi,
    dtmf=DtmfWay.REST,
    shares_application=True,
)
