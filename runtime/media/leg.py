"""What every kind of leg offers to its room. A leg is one person's connection to a call.

A room that lives on another server has legs, too: there a leg is that server's participant, and
what it reads and writes are that participant's tracks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol
from uuid import UUID

from runtime.media.liveness import Liveness
from runtime.media.room import GoneCause, Samples

LegState = Literal["connecting", "connected", "lost"]
"""It never goes back."""


class DtmfNotPossible(RuntimeError):
    """This kind of leg cannot send keys."""


class LineInterrupted(DtmfNotPossible):
    """Nothing reaches the phone at the moment."""


class Leg(Protocol):
    """The room calls every method on its event loop, ``read`` and ``write`` once per frame.

    The leg calls ``on_change`` with itself when ``state`` has changed, and ``on_digits`` with
    itself and the keys that were pressed. ``Room.add_leg`` sets both.
    """

    participant_id: UUID
    liveness: Liveness
    """Hears whatever comes from the participant."""
    on_change: Callable[[Leg], None]
    on_digits: Callable[[Leg, str], None]

    @property
    def state(self) -> LegState: ...

    @property
    def has_connected(self) -> bool:
        """Whether it ever was ``connected``."""

    @property
    def sample_hz(self) -> int:
        """The rate at which its network carries the voice: the person's sound has no more."""

    @property
    def gone_because(self) -> GoneCause | None:
        """Why it is ``lost``; ``None`` before that."""

    def read(self) -> Samples:
        """What the person says in this frame: 20 ms at 48 kHz."""

    def write(self, samples: Samples, sample: int) -> None:
        """What the person hears in this frame: 20 ms at 48 kHz, at ``sample`` of room time."""

    @property
    def unheard_frames(self) -> int:
        """How many of the newest frames that were written the person has not heard yet, as far as
        the network tells; otherwise 0."""

    def clear(self) -> None:
        """Drop what was written and is not played yet, wherever it waits."""

    def send_digits(self, digits: str) -> None:
        """Press keys (``0-9 A-D * #``) towards the person's side.

        Raises:
            DtmfNotPossible: this kind of leg has no keys, or nothing reaches the phone.
        """

    def tell(self, text: str) -> None:
        """Send a live message, if the leg can show any."""

    def supervise(self, now_seconds: float) -> None:
        """Called about twice a second."""

    def ask(self) -> None:
        """Ask the other side whether it is still there; the answer is told to ``liveness``."""

    async def close(self) -> None:
        """Hang up and free everything. Idempotent. This leg alone: the call goes on."""
