"""What a carrier's webhook is answered. The signature comes first, before anything is read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import structlog

from carriers.answers import Answer, Refusal, StreamOffer
from carriers.api import CarrierProblem
from carriers.call_events import (
    CallArrived,
    CallEvent,
    MachineDetected,
    PlaybackEnded,
    StageReached,
    StreamFailed,
)
from carriers.signed_request import CarrierRequest, Proof, Repeat, SignatureRefused
from contracts.carrier_accounts import media_url, status_url
from contracts.dial_outcome import DialOutcome
from contracts.dialing import LegStage
from contracts.inbound_calls import InboundAdmitted, InboundRefusal, InboundRefused
from link.connection import LINK_ERRORS
from telephony_bridge.account_carrier import ATTEMPT_FIELD, DialedCall, DialedLegs
from telephony_bridge.hang_up import hang_up, leave_open
from telephony_bridge.media.sentences import Sentence
from telephony_bridge.tickets import LegTicket, Tickets
from telephony_bridge.webhooks.accounts import OpenAccount
from telephony_bridge.webhooks.inbound_desk import InboundDesk
from telephony_bridge.webhooks.machine_news import MachineNews
from telephony_bridge.webhooks.seen import Seen

SENTENCE_OF: dict[InboundRefusal, Sentence] = {
    InboundRefusal.UNKNOWN_NUMBER: Sentence.NOT_IN_SERVICE,
    InboundRefusal.NO_AGENT: Sentence.NOBODY_ANSWERS,
    InboundRefusal.AGENT_UNAVAILABLE: Sentence.NOT_NOW,
    InboundRefusal.CALLS_DISABLED: Sentence.NOT_NOW,
    InboundRefusal.INSUFFICIENT_FUNDS: Sentence.NOT_NOW,
    InboundRefusal.BUSY: Sentence.LINES_BUSY,
    InboundRefusal.UNAVAILABLE: Sentence.NOT_NOW,
}
REPLAYED = Answer("text/plain", "This request came before.\n", 403)

_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Afterwards:
    """What is to be done at the carrier once its webhook is answered.

    ``do`` and ``hang_up`` raise ``CarrierProblem`` and may be tried again. ``report_failure`` is
    for a carrier that does not do it: nobody would hear anything. It returns whether the call's
    sound is still awaited, and raises ``RedisError`` or ``OSError``: Redis is away. ``leave_open``
    is for one that does not hang up either, and raises the same.
    """

    do: Callable[[], Awaitable[None]]
    report_failure: Callable[[CarrierProblem], Awaitable[bool]]
    hang_up: Callable[[], Awaitable[None]]
    leave_open: Callable[[], Awaitable[None]]


class Webhooks:
    """
    Args:
        public_url: where carriers reach the bridge, without a slash at its end.
        report: tells the control plane how far a leg has come.
        clock: seconds since 1970.
    """

    def __init__(
        self,
        public_url: str,
        seen: Seen,
        desk: InboundDesk,
        tickets: Tickets,
        dialed: DialedLegs,
        machines: MachineNews,
        report: Callable[[LegTicket, LegStage, DialOutcome | None, str | None], None],
        clock: Callable[[], float],
    ) -> None:
        self._public_url = public_url
        self._seen = seen
        self._desk = desk
        self._tickets = tickets
        self._dialed = dialed
        self._machines = machines
        self._report = report
        self._clock = clock

    async def answer(
        self,
        account: OpenAccount,
        request: CarrierRequest,
        count: Callable[[str], None],
    ) -> tuple[Answer, Afterwards | None]:
        """The answer, and what is to be done once it is sent.

        Args:
            count: is told the request's ``outcome``, as ``telemetry.metrics.CARRIER_REQUESTS`` has
                it.

        Raises:
            RedisError, OSError: Redis is away. The carrier asks again.
        """
        log = _log.bind(account_id=str(account.account_id), carrier=account.spec.name.value)
        try:
            proof = account.signatures.check_webhook(request, self._clock())
        except SignatureRefused as refused:
            count("refused")
            log.warning("webhook_refused", fault=refused.fault.value, detail=refused.detail)
            refusal = Answer(
                "text/plain", "The signature is not right.\n", account.spec.refused_status
            )
            return refusal, None
        account_id = account.account_id
        if not await self._seen.is_first(account_id, proof.once_key, proof.remember_seconds):
            again = await self._answer_again(account, proof, count)
            if again is not None:
                return again, None
            log.warning("webhook_was_left_unanswered")
        events = account.spec.read_events(request)
        try:
            answer, unwanted = await self._first_answer(account, request, events)
            await self._seen.keep_answer(account_id, proof.once_key, answer)
        except LINK_ERRORS:
            with suppress(*LINK_ERRORS):
                await self._seen.forget(account_id, proof.once_key)
            raise
        count("accepted")
        if not answer.commands and not unwanted:
            return answer, None
        call_ids = {event.call_id for event in events}

        async def do() -> None:
            for line in unwanted:
                await hang_up(self._dialed.redis, account.api, line)
            await account.api.run(answer.commands)

        return answer, Afterwards(
            do,
            partial(self._failed, account, call_ids),
            partial(_hang_up, account, call_ids),
            partial(self._leave_open, account, call_ids),
        )

    async def _failed(
        self, account: OpenAccount, call_ids: Collection[str], problem: CarrierProblem
    ) -> bool:
        detail = problem.message + (f" (code {problem.code})" if problem.code else "")
        awaited = [
            await self._gone_before_its_sound(account, call_id, detail) for call_id in call_ids
        ]
        return any(awaited)

    async def _leave_open(self, account: OpenAccount, call_ids: Collection[str]) -> None:
        for call_id in call_ids:
            ticket = await self._tickets.of_call(account.account_id, call_id)
            if ticket is not None:
                await leave_open(self._dialed.redis, ticket)

    async def _answer_again(
        self, account: OpenAccount, proof: Proof, count: Callable[[str], None]
    ) -> Answer | None:
        """To a request that came before. ``None``: the bridge that got it has stopped, and did
        not answer it."""
        account_id, once_key = account.account_id, proof.once_key
        is_open = await self._seen.is_unanswered(account_id, once_key)
        kept = None
        if is_open or proof.repeat is Repeat.DUPLICATE:
            kept = await self._seen.answer(account_id, once_key)
        if kept is None and is_open and await self._seen.is_unanswered(account_id, once_key):
            return None
        if proof.repeat is Repeat.REPLAY:
            count("refused")
            carrier = account.spec.name.value
            _log.warning("webhook_replayed", account_id=str(account_id), carrier=carrier)
            return REPLAYED
        count("repeated")
        return kept or account.spec.answers.acknowledge()

    async def _first_answer(
        self, account: OpenAccount, request: CarrierRequest, events: Sequence[CallEvent]
    ) -> tuple[Answer, Sequence[LegTicket]]:
        """And the calls that are to be hung up."""
        answers = account.spec.answers
        dialed = await self._dialed_call(account, request)
        if dialed is not None and await self._dialed.was_given_up(dialed.request.attempt_id):
            lasting = [
                _dialed_ticket(account, event.call_id, dialed)
                for event in events
                if isinstance(event, StageReached) and event.stage is not LegStage.ENDED
            ]
            if not lasting:
                return answers.acknowledge(), ()
            return answers.hang_up(lasting[0].carrier_call_id), lasting
        answer: Answer | None = None
        for event in events:
            answer = await self._heard(account, event, dialed) or answer
        return answer or answers.acknowledge(), ()

    async def _heard(
        self, account: OpenAccount, event: CallEvent, dialed: DialedCall | None
    ) -> Answer | None:
        answers = account.spec.answers
        match event:
            case CallArrived():
                return await self._arrived(account, event)
            case StageReached() if dialed is not None:
                await self._dialed.tell(dialed, event)
                if event.stage is LegStage.ANSWERED:
                    ticket = _dialed_ticket(account, event.call_id, dialed)
                    return await self._stream(account, ticket, is_answered=True)
            case StageReached(call_id=call_id, stage=LegStage.ENDED):
                unheard = await self._tickets.end(account.account_id, call_id)
                if unheard is not None:
                    self._report(unheard, LegStage.ENDED, None, None)
            case MachineDetected(answered_by=answered_by) if dialed is not None:
                await self._machines.tell(dialed.request, answered_by)
            case PlaybackEnded(call_id=call_id):
                return answers.hang_up(call_id)
            case StreamFailed(call_id=call_id, detail=detail):
                _log.error("carrier_stream_failed", carrier_call_id=call_id, detail=detail)
                await self._gone_before_its_sound(account, call_id, detail)
                return answers.hang_up(call_id)
        return None

    async def _dialed_call(
        self, account: OpenAccount, request: CarrierRequest
    ) -> DialedCall | None:
        """The call that our own address names. Who may be told of it, the account decides."""
        named = parse_qs(urlsplit(request.url).query).get(ATTEMPT_FIELD, [])
        try:
            attempt_id = UUID(named[0])
        except (IndexError, ValueError):
            return None
        dialed = await self._dialed.find(attempt_id)
        if dialed is None or dialed.request.account_id != account.account_id:
            return None
        return dialed

    async def _arrived(self, account: OpenAccount, call: CallArrived) -> Answer:
        match await self._desk.ask(account.document, call):
            case InboundAdmitted() as admitted:
                ticket = LegTicket(
                    call_id=admitted.call_id,
                    tenant_id=admitted.tenant_id,
                    participant_id=admitted.participant_id,
                    attempt_id=admitted.attempt_id,
                    account_id=account.account_id,
                    carrier=account.spec.name.value,
                    carrier_call_id=call.call_id,
                    direction="inbound",
                    from_number=admitted.from_number or "",
                    to_number=admitted.to_number,
                )
                _log.info("inbound_call_admitted", call_id=str(admitted.call_id))
                return await self._stream(account, ticket, is_answered=False)
            case InboundRefused(kind=kind, detail=detail):
                _log.info("inbound_call_refused", kind=kind.value, detail=detail)
                return self._refusal(account, call.call_id, kind)

    async def _gone_before_its_sound(
        self, account: OpenAccount, carrier_call_id: str, detail: str
    ) -> bool:
        """Of a call that has failed before its sound has come, nothing else tells. Returns whether
        it is one."""
        ticket = await self._tickets.of_call(account.account_id, carrier_call_id)
        if ticket is not None:
            self._report(ticket, LegStage.ENDED, DialOutcome.FAILED, detail)
        return ticket is not None

    def _refusal(self, account: OpenAccount, call_id: str, kind: InboundRefusal) -> Answer:
        answers = account.spec.answers
        match account.document.refuse_with:
            case "busy":
                return answers.refuse(call_id, Refusal.BUSY)
            case "reject":
                return answers.refuse(call_id, Refusal.REJECTED)
            case "sentence":
                name = SENTENCE_OF[kind].value
                return answers.play_and_hang_up(call_id, f"{self._public_url}/sentences/{name}.wav")

    async def _stream(
        self, account: OpenAccount, ticket: LegTicket, *, is_answered: bool
    ) -> Answer:
        token = await self._tickets.issue(ticket)
        if token is None:
            self._report(ticket, LegStage.ENDED, None, None)
            return account.spec.answers.hang_up(ticket.carrier_call_id)
        provider = account.spec.name.value
        return account.spec.answers.connect_stream(
            StreamOffer(
                call_id=ticket.carrier_call_id,
                media_url=media_url(self._public_url, provider, account.account_id),
                token=token,
                status_url=status_url(self._public_url, provider, account.account_id),
                is_answered=is_answered,
                from_number=ticket.from_number or None,
                to_number=ticket.to_number,
            )
        )


async def _hang_up(account: OpenAccount, call_ids: Collection[str]) -> None:
    for call_id in call_ids:
        await account.api.hang_up(call_id)


def _dialed_ticket(account: OpenAccount, carrier_call_id: str, dialed: DialedCall) -> LegTicket:
    request = dialed.request
    return LegTicket(
        call_id=request.call_id,
        tenant_id=request.tenant_id,
        participant_id=request.participant_id,
        attempt_id=request.attempt_id,
        account_id=account.account_id,
        carrier=account.spec.name.value,
        carrier_call_id=carrier_call_id,
        direction="outbound",
        from_number=request.from_number,
        to_number=request.to_number,
    )
