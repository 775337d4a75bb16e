"""A caller who says nothing."""

from __future__ import annotations

from switchboard_client.webrtc.frame import Samples, silence


class Silence:
    """A ``SoundSource``."""

    def next_frame(self, sent_at: float) -> Samples:
        return silence()
