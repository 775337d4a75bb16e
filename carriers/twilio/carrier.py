"""Twilio's registration."""

from __future__ import annotations

from carriers.account import CarrierName, TwilioCredentials
from carriers.api import DtmfWay
from carriers.spec import CarrierSpec
from carriers.twilio.answer import TwilioAnswers
from carriers.twilio.api import TwilioApi
from carriers.twilio.media_stream import TwilioMediaStream
from carriers.twilio.signature import TwilioSignatures
from carriers.twilio.statuses import STATUSES
from carriers.twilio.webhook import read_events

TWILIO = CarrierSpec(
    name=CarrierName.TWILIO,
    label="Twilio",
    credentials=TwilioCredentials,
    signatures=TwilioSignatures,
    refused_status=403,
    statuses=STATUSES,
    read_events=read_events,
    answers=TwilioAnswers(),
    media_stream=TwilioMediaStream,
    api=TwilioApi,
    dtmf=DtmfWay.TONES,
    shares_application=False,
)
