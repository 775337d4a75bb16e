"""What makes one carrier different from another, as the stand-in needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from aiohttp import web

from carriers.account import CarrierName
from tests.stand_ins.carriers.faults import Faults
from tests.stand_ins.carriers.sound import Samples

if TYPE_CHECKING:
    from tests.stand_ins.carriers.carrier import StandInCarrier
    from tests.stand_ins.carriers.line import Line

Stage = Literal[
    "initiated",
    "ringing",
    "answered",
    "completed",
    "busy",
    "no_answer",
    "canceled",
    "rejected",
    "unreachable",
    "failed",
    "human",
    "machine",
    "machine_ready",
    "played",
    "stream_failed",
]


@dataclass(frozen=True)
class Connect:
    """Open the media websocket."""

    url: str
    token: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    content_type: str = ""
    status_url: str | None = None


@dataclass(frozen=True)
class Refuse:
    stage: Stage


@dataclass(frozen=True)
class Play:
    url: str
    then_hang_up: bool


@dataclass(frozen=True)
class DialPhone:
    to_number: str
    from_number: str


@dataclass(frozen=True)
class End:
    pass


Instruction = Connect | Refuse | Play | DialPhone | End


@dataclass(frozen=True)
class Sound:
    samples: Samples


@dataclass(frozen=True)
class Mark:
    name: str


@dataclass(frozen=True)
class Clear:
    pass


Told = Sound | Mark | Clear | None
"""What a message on the media websocket asks of the carrier; ``None``: it is not understood."""
Headers = dict[str, str]
Message = str | bytes


class CarrierWire(Protocol):
    """Sound is at ``PHONE_HZ`` on the phone's side."""

    name: CarrierName
    returns_marks_on_clear: bool
    call_ends_with_stream: bool

    def new_call_id(self) -> str: ...
    def routes(self, carrier: StandInCarrier) -> list[web.RouteDef]: ...

    def question(self, line: Line) -> Mapping[str, Any]:
        """The webhook that wants to know what to do with the call."""

    def status(self, line: Line, stage: Stage) -> Mapping[str, Any] | None:
        """``None``: the carrier does not tell this."""

    def signed(
        self, url: str, content: Mapping[str, Any], faults: Faults
    ) -> tuple[Headers, bytes]: ...

    def read_answer(self, text: str) -> Instruction | None:
        """``None``: nothing to do yet."""

    def socket_address(self, connect: Connect) -> str: ...
    def socket_headers(self, connect: Connect, faults: Faults) -> Headers: ...
    def opening(self, line: Line, connect: Connect) -> Sequence[Message]: ...
    def frame(self, line: Line, number: int, samples: Samples) -> Message: ...
    def key(self, line: Line, digit: str) -> Message: ...
    def read(self, line: Line, message: Message) -> Told: ...
    def mark_reached(self, line: Line, name: str) -> Message: ...
    def cleared(self, line: Line) -> Sequence[Message]: ...
    def closing(self, line: Line) -> Sequence[Message]: ...
